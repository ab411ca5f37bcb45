import type { FileLook } from "./file-look.ts"
import type { OriginFile, Origins } from "./list-origins.ts"

/** What the index stores about a file: its stat when it was read, and any problem. */
export type Stamp = {
  look: string
  hash: string
  /** Other inputs that decide how the file is read: the team's names, governed metadata of its entries. */
  around: string
  /** Whether any later edit changes the stat; an edit within the same clock tick would not. */
  settled: boolean
  /** Lines where a merge conflict hides entries. */
  conflicts?: number[]
  /** Why the file could not be read. */
  problem?: string
}

/** The governed index is an origin without items; `said` maps each file it affects to a hash of what it says. */
export const recordsKey = "records"
export type RecordsStamp = { look: string; settled: boolean; said: Record<string, string> }

/** Learned memories are one origin; its stamp is the project and the version of its visible memories. */
export const learnedKey = "learned"

/** The coarsest time resolution of a file system. */
const coarsestTickMs = 2000

/** Also true for a time well ahead of the clock; otherwise the file would be read every time until its next edit. */
export function isSettled(look: FileLook, readAt: number): boolean {
  return Math.abs(readAt - look.changedMs) > coarsestTickMs
}

export function aroundOf(file: OriginFile, origins: Origins, said: RecordsStamp["said"]): string {
  if (file.kind === "session") return "" // says it all itself
  return `${origins.roster} ${said[file.key] ?? ""}`
}

/** Stamps are JSON written only by Drey. */
export function readStamp<Kind extends Stamp | RecordsStamp>(text: string | undefined): Kind | undefined {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined // damaged: the file is read again and gets a new stamp
  }
}
