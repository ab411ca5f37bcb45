import type { FileStat, OriginFile, Origins } from "./origins.ts"

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
export function isSettled(look: FileStat, readAt: number): boolean {
  return Math.abs(readAt - look.changedMs) > coarsestTickMs
}

export function aroundOf(file: OriginFile, origins: Origins, said: RecordsStamp["said"]): string {
  if (file.kind === "session" || file.kind === "document") return "" // contains everything itself
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

/**
 * Whether no file has changed since it was indexed, as far as the stats can show. `learned` is the stamp of the learned
 * memories, undefined if there are none.
 */
export function isUpToDate(origins: Origins, known: ReadonlyMap<string, string>, learned: string | undefined): boolean {
  if (known.get(learnedKey) !== learned) return false
  const records = readStamp<RecordsStamp>(known.get(recordsKey))
  if (records?.look !== (origins.records?.text ?? "") || !records.settled) return false
  const isSame = (file: OriginFile) => {
    const stamp = readStamp<Stamp>(known.get(file.key))
    return stamp?.settled && stamp.look === file.look.text && stamp.around === aroundOf(file, origins, records.said)
  }
  const others = learned === undefined ? 1 : 2 // the records and the learned memories are origins without a file
  return origins.files.length === known.size - others && origins.files.every(isSame)
}

/** Problems found while reading a store's files. */
export type ReadProblems = {
  unreadable: { path: string; message: string }[]
  /** Places where a merge conflict hides entries. */
  conflicts: { path: string; line: number }[]
}

/** Read from the stored stamps, so that problems are reported without reading the files again. */
export function readProblemsIn(known: ReadonlyMap<string, string>): ReadProblems {
  const trouble: ReadProblems = { unreadable: [], conflicts: [] }
  for (const [path, text] of known) {
    if (!text.includes('"problem"') && !text.includes('"conflicts"')) continue // true for nearly all stamps: skip parsing
    const { problem, conflicts } = readStamp<Stamp>(text) ?? {}
    if (problem !== undefined) trouble.unreadable.push({ path, message: problem })
    for (const line of conflicts ?? []) trouble.conflicts.push({ path, line })
  }
  return trouble
}
