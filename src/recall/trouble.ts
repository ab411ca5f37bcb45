import { readStamp, type Stamp } from "./stamp.ts"

/** Problems found while reading a store's files. */
export type Trouble = {
  unreadable: { path: string; message: string }[]
  /** Places where a merge conflict hides entries. */
  conflicts: { path: string; line: number }[]
}

/** Read from the stored stamps, so that problems are reported without reading the files again. */
export function troubleIn(known: ReadonlyMap<string, string>): Trouble {
  const trouble: Trouble = { unreadable: [], conflicts: [] }
  for (const [path, text] of known) {
    if (!text.includes('"problem"') && !text.includes('"conflicts"')) continue // true for nearly all stamps: skip parsing
    const { problem, conflicts } = readStamp<Stamp>(text) ?? {}
    if (problem !== undefined) trouble.unreadable.push({ path, message: problem })
    for (const line of conflicts ?? []) trouble.conflicts.push({ path, line })
  }
  return trouble
}
