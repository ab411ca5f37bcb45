import type { Database } from "../disk/sqlite.ts"

/** Key → stamp of every origin. */
export function readStamps(database: Database): Map<string, string> {
  const rows = database.prepare<{ key: string; stamp: string }>("SELECT key, stamp FROM origins").all()
  return new Map(rows.map(({ key, stamp }) => [key, stamp]))
}

/** The origins that were added, changed or removed since these stamps were read. */
export function changedSince(database: Database, seen: ReadonlyMap<string, string>): string[] {
  const stamps = readStamps(database)
  const keys = new Set([...stamps.keys(), ...seen.keys()])
  return [...keys].filter((key) => stamps.get(key) !== seen.get(key))
}
