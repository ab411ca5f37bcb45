/** How a tool that keeps memories writes them down. */
export const storeFormats = ["mem0", "server-memory", "markdown", "entries", "learned"] as const
export type StoreFormat = (typeof storeFormats)[number]

/** One thing that a store remembers; `at` is when it was last written, in milliseconds, where the store tells. */
export type StoredMemory = { path: string; line: number; id?: string; text: string; at: number | undefined }

/** What was found at one place. `parts` says how it is put together, `broken` are lines that hold nothing that can be read. */
export type ReadStore = {
  path: string
  format: StoreFormat
  memories: StoredMemory[]
  parts: string[]
  broken: { path: string; line: number }[]
}
