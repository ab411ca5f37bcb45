import type { ClientId } from "../clients/client.ts"
import type { Action } from "../clients/transcript-event.ts"

/** One task's worth of a transcript, compressed: no whole files, no raw logs, no secrets. */
export type Episode = {
  /** `ep-<day>-<12 hex of client, session and first event>`: the same transcript gives the same id. */
  id: string
  project: string
  /** `drey` for what an agent noted in a session of Drey's own. */
  client: ClientId | "drey"
  session: string
  /** The file it was read from, for `why`. */
  transcript: string
  start: string
  end: string
  events: EpisodeEvent[]
  stats: Stats
  flushReason: FlushReason
  /** The episode before it, when that one was closed in the middle of its task. */
  continuationOf?: string
}

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

/** An event as it is stored and sent; the names are those of the stored JSON. Everything that `statsOf` needs is in it. */
export type EpisodeEvent = {
  id: string
  ts: string
  line: number
  role: "user" | "assistant" | "tool"
  kind: "message" | "tool_call" | "tool_result" | "mark"
  /** At most 200 code points, redacted. */
  summary: string
  /** The telling piece where it is not all: the error's line, the sentences that state rules. At most 200 code points, redacted. */
  raw_snippet?: string
  tool_name?: string
  action?: Action
  file?: string
  command?: string
  /** The program and its subcommand, `npm test`, `cargo build`: what makes two runs the same attempt. */
  head?: string
  is_error?: boolean
  exit_code?: number
  fingerprint?: string
  test?: "passed" | "failed"
  incident?: "refused" | "interrupted"
  mark?: "session start" | "session end" | "clear" | "compacted"
  /** Of a user's message: what its words show. */
  frustration?: Frustration
  /** The words also say thanks, or that it works. */
  accepts?: true
  opener?: "correction" | "new task" | "continuation"
  /** Which kind of rule the message states first, in so many words: see `raw_snippet`. */
  statement?: "always" | "never" | "preference" | "fact" | "remember"
  /** A message that ends with a question, or asks for something politely. */
  asks?: true
  branch?: string
  contexts?: string[]
  cites?: string[]
}

export const frustrations = ["none", "mild", "moderate", "severe"] as const
export type Frustration = (typeof frustrations)[number]

/** What the events add up to; recomputed from them at any time. */
export type Stats = {
  error_count: number
  retry_loops: number
  /** Failures beyond the first of each loop. */
  retry_attempts: number
  tests_final_status: "passed" | "failed" | "not_run"
  user_frustration: Frustration
  interrupts: number
  rejections: number
  outcome: "success" | "partial" | "uncertain" | "failure"
}

/** Where a memory could come from in an episode: each with the events that show it. */
export type Finding =
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
