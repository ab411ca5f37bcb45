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
] as const
export type ClientId = (typeof clientIds)[number]

/** A coding agent: where it keeps its transcripts, and how to read them. One file each, one contract for all. */
export type Client = {
  id: ClientId
  /** The display name: `Claude Code`. */
  name: string
  /** `proven`: tested on real files; `experimental`: written from descriptions of the format. */
  maturity: "proven" | "experimental"
  /** Every transcript of this user, oldest first. An empty list if there are none, or none is readable. */
  find(machine: Machine): Transcript[]
  /**
   * Whether a file belongs to this client, by its name and the first 64 KB of its text (a database: its first bytes).
   */
  recognises(path: string, beginning: string): boolean
  /**
   * Reads a transcript from a position on, in batches; each batch has the position after it, so that both can be stored
   * in one step. Never throws on content: invalid lines and unknown records are counted. Ends at the end of the file or
   * before an unfinished last line.
   */
  read(transcript: Transcript, from?: Position): AsyncIterable<Batch>
}

/** Where a client's files may be; passed in so that tests can have their own. */
export type Machine = { home: string; environment: NodeJS.ProcessEnv; platform: NodeJS.Platform }

export type Transcript = {
  client: ClientId
  /** The file or database that contains it. */
  path: string
  /** The session within a database; other files contain their session id. */
  session?: string
}

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

export type Batch = {
  events: TranscriptEvent[]
  position: Position
  /** Records read, of any kind. */
  records: number
  /** Counts by record kind that this client's reader does not know; `unreadable` counts invalid lines. */
  unknown: Record<string, number>
  /** Bytes consumed, for a progress bar. */
  bytes: number
}

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
  action?: ToolAction
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

export type ToolAction = "run" | "edit" | "read" | "search" | "ask" | "other"

/** Enough for an error and a test summary; whole outputs are not kept. */
export const longestText = 6000
