import { readStamp, type Stamp } from "./stamp.ts"

/** What could not be taken from a store's files. */
export type Trouble = {
  unreadable: { path: string; message: string }[]
  /** Places where a merge conflict hides entries. */
  conflicts: { path: string; line: number }[]
}

/** Told by the stamps, key by key, so that nothing needs to be read again to tell it again. */
export function troubleIn(known: ReadonlyMap<string, string>): Trouble {
  const trouble: Trouble = { unreadable: [], conflicts: [] }
  for (const [path, text] of known) {
    if (!text.includes('"problem"') && !text.includes('"conflicts"')) continue // nearly all: not worth reading
    const { problem, conflicts } = readStamp<Stamp>(text) ?? {}
    if (problem !== undefined) trouble.unreadable.push({ path, message: problem })
    for (const line of conflicts ?? []) trouble.conflicts.push({ path, line })
  }
  return trouble
}
