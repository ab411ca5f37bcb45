import type { TranscriptEvent } from "./transcript-event.ts"

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

/** A coding agent: where it leaves its transcripts, and what they say. One file each, one contract for all. */
export type Client = {
  id: ClientId
  /** As a person writes it: `Claude Code`. */
  name: string
  /** `proven` on real files; `experimental` from descriptions of the format alone. */
  maturity: "proven" | "experimental"
  /** Every transcript of this user, oldest first. Nothing there, or nothing that may be read, is an empty list. */
  find(machine: Machine): Transcript[]
  /**
   * Whether a file that somebody named is one of this client's, by its name and the first 64 KB of its text (a
   * database: its first bytes).
   */
  recognises(path: string, beginning: string): boolean
  /**
   * What a transcript says beyond a position, in batches; each batch with the position behind it, so that both can be
   * kept in one step. Never throws on content: a line that is no record, or one of an unknown kind, is counted. Ends
   * where the file ends or its last line is unfinished.
   */
  read(transcript: Transcript, from?: Position): AsyncIterable<Batch>
}

/** Where a client's files may be; handed in, so that tests have their own. */
export type Machine = { home: string; environment: NodeJS.ProcessEnv; platform: NodeJS.Platform }

export type Transcript = {
  client: ClientId
  /** The file, or the database, that holds it. */
  path: string
  /** Which session of a database is meant; the files of other clients say it inside. */
  session?: string
}

/** How far a transcript has been read. */
export type Position = {
  /** Bytes up to the end of the last complete line; 0 for what is read as a whole. */
  offset: number
  /** Lines before that. */
  line: number
  /**
   * The size and the inode that the file had; a smaller or another file is read from its beginning. For databases:
   * whatever tells that nothing changed.
   */
  stamp: string
  /** What the client has to remember between two readings, as JSON: calls without a result, the working directory. */
  carried: string
}

export type Batch = {
  events: TranscriptEvent[]
  position: Position
  /** Records read, of whatever kind. */
  records: number
  /**
   * Kinds of records that this client's reader does not know, with their number; `unreadable` counts lines that are no
   * records.
   */
  unknown: Record<string, number>
  /** Bytes consumed, for a progress bar. */
  bytes: number
}
