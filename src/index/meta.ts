import type { Database } from "../disk/sqlite.ts"

type MetaValue = string | number

export function readMeta(database: Database, key: string): MetaValue | undefined {
  return database.prepare<{ value: MetaValue }>("SELECT value FROM meta WHERE key = ?").get(key)?.value
}

export function writeMeta(database: Database, key: string, value: MetaValue): void {
  database.prepare("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)").run(key, value)
}
