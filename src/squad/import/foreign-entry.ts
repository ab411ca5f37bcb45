import type { EntryType, Extension } from "../../formats/entry.ts"

export const foreignFormats = ["adr", "rules", "server-memory", "cline"] as const
export type ForeignFormat = (typeof foreignFormats)[number]

/** An imported file; `path` is relative to the import source. */
export type ForeignFile = { path: string; text: string }

/** A record of another tool, before it becomes a proposal. */
export type ForeignEntry = {
  /** Unique within its source and stable when the source is imported again. */
  key: string
  /** Its file, relative to the import source, and its line. */
  file: string
  line: number
  type: EntryType
  title: string
  details?: string
  rationale?: string
  /** `YYYY-MM-DD`, if the source has a date. */
  date?: string
  authors: string[]
  tags: string[]
  /** Keys of the entries that this one replaces. */
  supersedes: string[]
  /** Why it needs review by the user. */
  review?: string
  extensions: Extension[]
}
