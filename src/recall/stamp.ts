import type { FileLook } from "./file-look.ts"
import type { OriginFile, Origins } from "./list-origins.ts"

/** What the index keeps about a file: how it looked when it was read, and what was wrong with it. */
export type Stamp = {
  look: string
  hash: string
  /** What beside the file decides how it is read: the names of the team, what governed memory says of its entries. */
  around: string
  /** Whether any later edit shows in the look; one in the same tick of the clock as the reading would not. */
  settled: boolean
  /** Lines where a merge conflict hides entries. */
  conflicts?: number[]
  /** Why the file could not be read. */
  problem?: string
}

/** The governed index counts as an origin without items; `said` tells for which files it says something, and what changes when that does. */
export const recordsKey = "records"
export type RecordsStamp = { look: string; settled: boolean; said: Record<string, string> }

/** The learned memories are one origin; its stamp is the project and the version of what it may see. */
export const learnedKey = "learned"

/** File systems that round times do so to at most this. */
const coarsestTickMs = 2000

/** Also with a time well ahead of the clock: the next edit gets another, and until then the file would be read every time. */
export function isSettled(look: FileLook, readAt: number): boolean {
  return Math.abs(readAt - look.changedMs) > coarsestTickMs
}

export function aroundOf(file: OriginFile, origins: Origins, said: RecordsStamp["said"]): string {
  if (file.kind === "session") return "" // says it all itself
  return `${origins.roster} ${said[file.key] ?? ""}`
}

/** Stamps are JSON that only Drey writes. */
export function readStamp<Kind extends Stamp | RecordsStamp>(text: string | undefined): Kind | undefined {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined // damaged: the file is read again, and gets a new one
  }
}
