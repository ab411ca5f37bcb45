import { toolAction } from "../clients/tool-calls.ts"
import type { TranscriptEvent } from "../formats/client-events.ts"
import { omitUndefined } from "../formats/objects.ts"
import type { KnownMemory, WorkOfEpisode, WriterAnswer } from "../memories/writer.ts"
import { compressEvent } from "./episodes/compressed-event.ts"
import { statsOf } from "./episodes/episode-stats.ts"
import { findingsOf } from "./episodes/findings.ts"
import { summarizeProject } from "./learner.ts"
import type { LearningParts, LearningProject } from "./learning-parts.ts"

/** An episode provided by another program. */
export type HandedEpisode = {
  id: string
  events: HandedEvent[]
  /** The memories that program already has. */
  known: Omit<KnownMemory, "alias" | "justWritten">[]
  mostMemories?: number | undefined
}

export type HandedEvent = Pick<TranscriptEvent, "role" | "kind" | "text"> & {
  ts?: string | undefined
  tool?: string | undefined
  file?: string | undefined
  command?: string | undefined
  isError?: boolean | undefined
  exitCode?: number | undefined
}

export type WrittenEpisode = { episode: WorkOfEpisode; answer: WriterAnswer }

const mostKnown = 20

/**
 * Runs the writer on an episode without storing anything. Its events are redacted and classified like those of a
 * transcript.
 */
export async function writeEpisode(
  parts: LearningParts,
  project: LearningProject,
  handed: HandedEpisode,
  signal?: AbortSignal,
): Promise<WrittenEpisode> {
  const episode = toEpisode(handed, project, parts.now().toISOString())
  const writer = await parts.writer()
  const input = {
    episode,
    findings: findingsOf(episode.events),
    known: handed.known.slice(0, mostKnown).map((memory, at) => ({ ...memory, alias: at + 1, justWritten: false })),
    owner: { type: "user" as const, id: parts.owner },
    project: summarizeProject(project.root),
    mostMemories: handed.mostMemories ?? parts.policyOf(project.root).writer.max_memories_per_episode,
  }
  return { episode, answer: await writer.write(input, signal) }
}

function toEpisode({ id, events: handed }: HandedEpisode, project: LearningProject, now: string): WorkOfEpisode {
  let ts = handed.find((event) => event.ts !== undefined)?.ts ?? now
  const events = handed.map((event, at) => {
    ts = event.ts ?? ts
    return compressEvent(toTranscriptEvent(event, `${id}#${at}`, ts), project.root)
  })
  return {
    id,
    project: project.id,
    start: events[0]?.ts ?? now,
    end: events.at(-1)?.ts ?? now,
    events,
    stats: statsOf(events),
    flushReason: "explicit",
  }
}

function toTranscriptEvent(event: HandedEvent, id: string, ts: string): TranscriptEvent {
  const { role, kind, text, tool, file, command, isError, exitCode } = event
  return {
    id,
    session: id,
    ts,
    line: 0,
    role,
    kind,
    text,
    ...(tool === undefined ? {} : { tool, action: toolAction(tool) }),
    ...(file === undefined ? {} : { files: [file] }),
    ...omitUndefined({ command, isError, exitCode }),
  }
}
