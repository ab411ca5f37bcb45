/** The storage format of a memory tool. */
export const storeFormats = ["mem0", "server-memory", "markdown", "entries", "learned"] as const
export type StoreFormat = (typeof storeFormats)[number]

/** One memory of a store; `at` is its last change in milliseconds, if known. */
export type StoredMemory = { path: string; line: number; id?: string; text: string; at: number | undefined }

/** An unreadable record. The reason never quotes it. */
export type BrokenRecord = { path: string; line: number; reason: string }

/** The store at one place. `parts` describes its composition, `broken` its unreadable records. */
export type ReadStore = {
  path: string
  format: StoreFormat
  memories: StoredMemory[]
  parts: string[]
  broken: BrokenRecord[]
}
