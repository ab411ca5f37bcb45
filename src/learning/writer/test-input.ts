import type { EpisodeEvent, EpisodeFinding, EpisodeStats } from "../../memories/episode.ts"
import type { KnownMemory, WriterInput } from "../../memories/writer.ts"

type Parts = {
  findings?: EpisodeFinding[]
  known?: KnownMemory[]
  stats?: Partial<EpisodeStats>
  project?: string
  mostMemories?: number
}

/** For tests: an episode of these events, as a writer gets it. */
export function inputOf(events: EpisodeEvent[], parts: Parts = {}): WriterInput {
  return {
    episode: {
      id: "ep-2026-03-02-0123456789ab",
      project: "p-0123456789abcdef",
      start: "2026-03-02T10:00:00.000Z",
      end: "2026-03-02T10:30:00.000Z",
      events,
      stats: { ...quiet, ...parts.stats },
      flushReason: "task_boundary",
    },
    findings: parts.findings ?? [],
    known: parts.known ?? [],
    owner: { type: "user", id: "ada" },
    project: parts.project ?? "",
    mostMemories: parts.mostMemories ?? 3,
  }
}

const quiet: EpisodeStats = {
  error_count: 0,
  retry_loops: 0,
  retry_attempts: 0,
  tests_final_status: "not_run",
  user_frustration: "none",
  interrupts: 0,
  rejections: 0,
  outcome: "success",
}

/** For tests: a message that the user typed. */
export function said(summary: string, more: Partial<EpisodeEvent> = {}): EpisodeEvent {
  return { ...anEvent, role: "user", kind: "message", summary, ...more }
}

/** For tests: what an assistant wrote. */
export function assistantSaid(summary: string): EpisodeEvent {
  return { ...anEvent, role: "assistant", kind: "message", summary }
}

/** For tests: a command and its output; with an error it failed. */
export function ran(command: string, printed: string, error?: string): EpisodeEvent {
  const head = command.split(" ").slice(0, 2).join(" ")
  const failed = error === undefined ? { exit_code: 0 } : { exit_code: 1, is_error: true, raw_snippet: error }
  return { ...anEvent, role: "tool", kind: "tool_result", action: "run", command, head, summary: printed, ...failed }
}

/** For tests: a file that was read, with its content. */
export function read(file: string, summary: string): EpisodeEvent {
  return { ...anEvent, role: "tool", kind: "tool_result", action: "read", file, summary }
}

/** For tests: a file that was changed. */
export function edited(file: string): EpisodeEvent {
  return { ...anEvent, role: "tool", kind: "tool_result", action: "edit", file, summary: "The file was updated." }
}

/** For tests: a memory that is known already. */
export function known(alias: number, id: string, text: string, more: Partial<KnownMemory> = {}): KnownMemory {
  return { alias, id, kind: "invariant", tier: "long_term", key: undefined, text, justWritten: false, ...more }
}

const anEvent = { id: "e", ts: "2026-03-02T10:00:00.000Z", line: 1 }
