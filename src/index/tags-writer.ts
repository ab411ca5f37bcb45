import type { Database } from "../disk/sqlite.ts"
import { nameKey } from "./filter-sql.ts"

/** Stores which rows have which tag, so that a few are found among many without a scan. */
export function tagsWriter(database: Database) {
  const insert = database.prepare("INSERT OR IGNORE INTO tags (tag, row) VALUES (?, ?)")
  const drop = database.prepare("DELETE FROM tags WHERE row = ?")
  return {
    put(row: number, tags: readonly string[]) {
      for (const tag of tags) insert.run(nameKey(tag), row)
    },
    remove(row: number) {
      drop.run(row)
    },
  }
}
