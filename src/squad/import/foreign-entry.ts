import type { EntryType, Extension } from "../../formats/entry.ts"

export const foreignFormats = ["adr", "rules", "server-memory", "cline"] as const
export type ForeignFormat = (typeof foreignFormats)[number]

/** A file of what is imported; `path` is relative to it. */
export type ForeignFile = { path: string; text: string }

/** What another tool wrote down, before it is a proposal of ours. */
export type ForeignEntry = {
  /** Tells it from all others of its source, and stays the same when the source is read again. */
  key: string
  /** The file it stands in, relative to what was imported, and its line. */
  file: string
  line: number
  type: EntryType
  title: string
  details?: string
  rationale?: string
  /** `YYYY-MM-DD`, where the source tells. */
  date?: string
  authors: string[]
  tags: string[]
  /** Keys of the entries that this one replaces. */
  supersedes: string[]
  /** Why a person has to look at it before it counts. */
  review?: string
  extensions: Extension[]
}
