// What coding agents do, in the same terms for every client.

export const clientIds = [
  "claude-code",
  "codex",
  "gemini-cli",
  "copilot-cli",
  "opencode",
  "cursor",
  "vscode-copilot",
  "cline",
  "windsurf",
  "pi",
  "kiro",
  "droid",
] as const

export type ClientId = (typeof clientIds)[number]

/** How far a transcript has been read. */
export type Position = {
  /** Bytes up to the end of the last complete line; 0 for files that are read as a whole. */
  offset: number
  /** Lines up to there. */
  line: number
  /**
   * The file's size and inode; a smaller or another file is read from the start. For databases: anything that changes
   * with the content.
   */
  stamp: string
  /**
   * State that the client's reader keeps between two readings, as JSON: calls without a result, the working directory.
   */
  carried: string
}

/**
 * One event of a session, in the same terms for every client. Text added by the client or by Drey (system text, hook
 * output, Drey's contexts and tool results) has been removed.
 */
export type TranscriptEvent = {
  /** Identifies the record in every copy: forks and resumed sessions have the same ids. */
  id: string
  session: string
  /** For an event of a sub-agent: its name, if known, and the session whose agent started it. */
  agent?: SubAgent
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
  action?: ToolAction
  /** Links a result to its call. */
  call?: string
  /** The command line of a shell tool, on the call and on its result. */
  command?: string
  /** Files that the call reads or changes, as the client wrote them. */
  files?: string[]
  /** The agent's plan as a call of a plan tool sets it. */
  plan?: PlanItem[]
  /** The log's own error flag. */
  isError?: boolean
  exitCode?: number
  /** The client ran it outside of its sandbox, with the user's permission. */
  escalated?: true
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

export type PlanItem = { step: string; status: "pending" | "in_progress" | "complete" }

export type SubAgent = { name?: string; parent: string }

export type ToolAction = "run" | "edit" | "read" | "search" | "ask" | "other"

/** A tool call that an agent is about to make, as far as guards can check it. */
export type ToolCall = {
  tool: string
  /** The shell command, if the tool runs one. */
  command: string | undefined
  /** Files that the call would change. */
  paths: readonly string[]
  /** New text that the call would write, at most 4,000 characters. */
  text: string | undefined
  /** The branch that is checked out, if known. */
  branch?: string | undefined
}
