import { type Database, isDamaged, openDatabase } from "../disk/sqlite.ts"
import { applicationId, schemaVersion } from "./schema.ts"

/** Opens an existing file if it is ours and of this version. */
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
  // The index can be rebuilt: a power cut may lose the newest writes, never the file. The log of a large build is
  // truncated. With SQLite's default cache of 2 MB most pages of one search would be read twice.
  database.exec("PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 8388608; PRAGMA cache_size = -32768")
  return database
}
