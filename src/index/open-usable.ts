import { type Database, isDamaged, openDatabase } from "../disk/sqlite.ts"
import { applicationId, schemaVersion } from "./schema.ts"

/** Opens a file that is there, when it is ours and of this version. */
export function openUsable(path: string): Database | undefined {
  let database: Database | undefined
  try {
    database = openDatabase(path, { timeoutMs: 10_000 })
    const marks = database
      .prepare<{ application_id: number; user_version: number }>(
        "SELECT * FROM pragma_application_id, pragma_user_version",
      )
      .get()
    if (marks?.application_id === applicationId && marks.user_version === schemaVersion) {
      return tuned(database)
    }
  } catch (error) {
    database?.close()
    if (!isDamaged(error)) throw error
    return undefined
  }
  database.close()
  return undefined
}

export function tuned(database: Database): Database {
  // All of it can be made again: a power cut may cost the newest, never the whole. The log of a large build is not kept
  // at its size.
  // With SQLite's own 2 MB of cache most pages of one search would be read twice.
  database.exec("PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 8388608; PRAGMA cache_size = -32768")
  return database
}
