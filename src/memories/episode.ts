import type { ClientId, ToolAction } from "../formats/client-events.ts"

/** One task's worth of a transcript, compressed: no whole files, no raw logs, no secrets. */
export type Episode = {
  /** `ep-<day>-<12 hex of client, session and first event>`: the same transcript yields the same id. */
  id: string
  project: string
  /** `drey` for an agent's notes in one of Drey's own sessions. */
  client: ClientId | "drey"
  session: string
  /** The source file, for `why`. */
  transcript: string
  start: string
  end: string
  events: EpisodeEvent[]
  stats: EpisodeStats
  flushReason: FlushReason
  /** The previous episode, if it was closed in the middle of its task. */
  continuationOf?: string
  /** What is searched and shown of it; kept when its transcript is gone. */
  summary?: EpisodeSummary
}

/** What was said and done in an episode, redacted, with the lines of the transcript. */
export type EpisodeSummary = {
  /** The user's messages in their own words, and what the agent answered before the next one, in order. */
  said: { by: "user" | "agent"; text: string; line: number }[]
  /** Commands by their latest result; `error` is the decisive line of a failure. */
  tried: { command: string; result: "passed" | "failed"; error?: string; line: number }[]
  /** Files that were changed, then those that were only read; relative to the project where they are in it. */
  edited: string[]
  read: string[]
  commits: EpisodeCommitted[]
}

/** A commit made in an episode: its id as git printed it, or its subject if git was told to be quiet. */
export type EpisodeCommitted = { id?: string; subject?: string; ts: string }

export const flushReasons = [
  "task_boundary",
  "resolved",
  "explicit",
  "session_end",
  "idle",
  "shutdown",
  "size",
] as const
export type FlushReason = (typeof flushReasons)[number]

/** An event as stored and sent; the names are those of the stored JSON. It contains everything that `statsOf` needs. */
export type EpisodeEvent = {
  id: string
  ts: string
  /** The sub-agent whose work this is, if its name is known, and the session whose agent started it. */
  agent?: string
  parent_session?: string
  line: number
  role: "user" | "assistant" | "tool"
  kind: "message" | "tool_call" | "tool_result" | "mark"
  /** At most 200 code points, redacted. */
  summary: string
  /**
   * What the user typed, whole and with its line breaks, redacted, if that is more than the summary: at most 4,000 code
   * points, without what they pasted.
   */
  words?: string
  /**
   * The decisive passage, if it is not the whole text: the error line, the sentences that state rules. At most 200 code
   * points, redacted.
   */
  raw_snippet?: string
  /** The commit that a command made, by its id and subject; see `commitMade`. */
  commit?: string
  tool_name?: string
  action?: ToolAction
  file?: string
  command?: string
  /** The program and its subcommand, such as `npm test` or `cargo build`: identifies repeated attempts. */
  head?: string
  is_error?: boolean
  exit_code?: number
  /** The client ran it outside of its sandbox. */
  escalated?: true
  fingerprint?: string
  test?: "passed" | "failed"
  /** Rules of a linter that the output names, with their messages: `noVar: Use let or const instead of var.` */
  rules?: string[]
  incident?: "refused" | "interrupted"
  mark?: "session start" | "session end" | "clear" | "compacted"
  /** Signals in a user's message. */
  frustration?: Frustration
  /** The message also says thanks, or that it works. */
  accepts?: true
  opener?: "correction" | "new task" | "continuation"
  /** The kind of the first explicitly stated rule: see `raw_snippet`. */
  statement?: "always" | "never" | "preference" | "fact" | "remember"
  /** A message that ends with a question or is a polite request. */
  asks?: true
  branch?: string
  contexts?: string[]
  cites?: string[]
}

/** The sub-agent whose work these events are; the first ones of a fork may be a copy of its parent's. */
export function subAgentOf(events: readonly EpisodeEvent[]): { agent?: string; parent: string } | undefined {
  const own = events.find(({ parent_session }) => parent_session !== undefined)
  if (own?.parent_session === undefined) return undefined
  return { parent: own.parent_session, ...(own.agent === undefined ? {} : { agent: own.agent }) }
}

export const frustrations = ["none", "mild", "moderate", "severe"] as const
export type Frustration = (typeof frustrations)[number]

/** A summary of the events; can be recomputed at any time. */
export type EpisodeStats = {
  error_count: number
  retry_loops: number
  /** Failures after the first of each loop. */
  retry_attempts: number
  tests_final_status: "passed" | "failed" | "not_run"
  user_frustration: Frustration
  interrupts: number
  rejections: number
  outcome: "success" | "partial" | "uncertain" | "failure"
}

/** A possible source of a memory in an episode, with the events that show it. */
export type EpisodeFinding =
  | {
      kind: "failure_then_success"
      head: string
      fingerprint: string | undefined
      failures: number[]
      success: number /** Edits between the last failure and the success. */
      edits: number[]
    }
  | { kind: "user_correction"; event: number; after: number }
  | { kind: "explicit_statement"; event: number }
