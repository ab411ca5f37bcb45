/**
 * One thing that happened in a session, in the same terms for every client. What the client or Drey itself put in —
 * system text, hooks' output, Drey's contexts and the results of its tools — is gone already.
 */
export type TranscriptEvent = {
  /** Names the record wherever it was copied to: forks and resumed sessions carry the same ids. */
  id: string
  session: string
  /** ISO, UTC; "" where the client keeps no time. */
  ts: string
  /** The line of the transcript, from 1; 0 where it has no lines. */
  line: number
  role: "user" | "assistant" | "tool"
  /**
   * `mark`: nothing was said, but something began or ended; see `mark`, or `incident` when the person stopped the
   * agent.
   */
  kind: "message" | "tool_call" | "tool_result" | "mark"
  /**
   * A message's words, a result's output (at most `longestText`: beginning and end, see `cutMiddle`), "" for a call.
   */
  text: string
  /** The tool as the client names it; for calls and results. */
  tool?: string
  /** What a tool does, whatever its name. */
  action?: Action
  /** Ties a result to its call. */
  call?: string
  /** The command line of a shell tool, on the call and on its result. */
  command?: string
  /** Files the call reads or changes, as the client wrote them. */
  files?: string[]
  /** The log's own word for a failure. */
  isError?: boolean
  exitCode?: number
  /** The person refused the call, or stopped the agent. No error. */
  incident?: "refused" | "interrupted"
  mark?: "session start" | "session end" | "clear" | "compacted"
  /** The directory and branch in which it happened, as far as known. */
  cwd?: string
  branch?: string
  /** Ids of the contexts of ours that stood in this record before they were cut out. */
  contexts?: string[]
  /** Handles of memories (`m:4f2a91`) that the assistant named. */
  cites?: string[]
}

export type Action = "run" | "edit" | "read" | "search" | "ask" | "other"

/** Enough to see an error and a test's summary; whole outputs are nobody's memory. */
export const longestText = 6000
