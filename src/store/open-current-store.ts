import { existsSync } from "node:fs"
import { type Database, openDatabase } from "../disk/sqlite.ts"
import { DreyError } from "../errors.ts"
import { applicationId, schemaVersion } from "./store-version.ts"

/** Opens a database that is there and has the tables of this version; undefined where there is something to do first. */
export function openCurrentStore(path: string, { timeoutMs = 10_000 } = {}): Database | undefined {
  if (!existsSync(path)) return undefined
  const database = openDatabase(path, { timeoutMs })
  try {
    if (versionOf(database, path) === schemaVersion) return tuned(database)
  } catch (error) {
    database.close()
    throw error
  }
  database.close()
  return undefined
}

/** The number of migrations it has had; 0 for an empty file. What is not ours, or of a later Drey, is refused and left as it is. */
export function versionOf(database: Database, path: string): number {
  const marks = database
    .prepare<{ application_id: number; user_version: number; tables: number }>(
      "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema) AS tables FROM pragma_application_id, pragma_user_version",
    )
    .get()
  const { application_id: application, user_version: version, tables } = marks ?? {}
  if (application === applicationId && version !== undefined && version <= schemaVersion) return version
  if (tables === 0 && version === 0 && application === 0) return 0
  if (application !== applicationId) throw new DreyError(`${path} is a database, but not one of Drey's learned memory`)
  throw new DreyError(
    `${path} was written by a later version of Drey: its tables have version ${version}, this one knows ${schemaVersion}`,
    { hint: "Update Drey; the database was left as it is." },
  )
}

export function tuned(database: Database): Database {
  // Learned memory cannot be made again: what was reported survives a power cut, too.
  database.exec(
    "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA journal_size_limit = 8388608; PRAGMA cache_size = -16384",
  )
  return database
}
