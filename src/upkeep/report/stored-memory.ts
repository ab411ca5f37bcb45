/** How a tool that keeps memories writes them down. */
export const storeFormats = ["mem0", "server-memory", "markdown", "entries", "learned"] as const
export type StoreFormat = (typeof storeFormats)[number]

/** One thing that a store remembers; `at` is when it was last written, in milliseconds, where the store tells. */
export type StoredMemory = { path: string; line: number; id?: string; text: string; at: number | undefined }

/** A place that holds nothing that can be read. The reason never quotes it. */
export type BrokenRecord = { path: string; line: number; reason: string }

/** What was found at one place. `parts` says how it is put together, `broken` what is in it but could not be read. */
export type ReadStore = {
  path: string
  format: StoreFormat
  memories: StoredMemory[]
  parts: string[]
  broken: BrokenRecord[]
}
