/**
 * One event of a session, in the same terms for every client. Text added by the client or by Drey (system text, hook
 * output, Drey's contexts and tool results) has been removed.
 */
export type TranscriptEvent = {
  /** Identifies the record in every copy: forks and resumed sessions have the same ids. */
  id: string
  session: string
  /** ISO, UTC; "" if the client records no time. */
  ts: string
  /** The line of the transcript, from 1; 0 if it has no lines. */
  line: number
  role: "user" | "assistant" | "tool"
  /** `mark`: no message, but something started or ended; see `mark`, or `incident` when the user stopped the agent. */
  kind: "message" | "tool_call" | "tool_result" | "mark"
  /** A message's text, a result's output (at most `longestText`: beginning and end, see `cutMiddle`), "" for a call. */
  text: string
  /** The client's name for the tool; for calls and results. */
  tool?: string
  /** What a tool does, whatever its name. */
  action?: Action
  /** Links a result to its call. */
  call?: string
  /** The command line of a shell tool, on the call and on its result. */
  command?: string
  /** Files that the call reads or changes, as the client wrote them. */
  files?: string[]
  /** The log's own error flag. */
  isError?: boolean
  exitCode?: number
  /** The user refused the call, or stopped the agent. Not an error. */
  incident?: "refused" | "interrupted"
  mark?: "session start" | "session end" | "clear" | "compacted"
  /** The directory and branch, if known. */
  cwd?: string
  branch?: string
  /** Ids of Drey's contexts that were removed from this record. */
  contexts?: string[]
  /** Handles of memories (`m:4f2a91`) that the assistant cited. */
  cites?: string[]
}

export type Action = "run" | "edit" | "read" | "search" | "ask" | "other"

/** Enough for an error and a test summary; whole outputs are not kept. */
export const longestText = 6000
