import type { ClientId, Position, TranscriptEvent } from "../formats/client-events.ts"
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
  /** Whether it is a sub-agent's: its session is not one of the user's. */
  isSubAgents?: true
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

/** Enough for an error and a test summary; whole outputs are not kept. */
export const longestText = 6000
