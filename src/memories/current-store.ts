import { existsSync } from "node:fs"
import { type Database, openDatabase } from "../disk/sqlite.ts"
import { DreyError } from "../errors.ts"

/** Opens an existing database with the current schema; undefined when it is missing or needs a migration. */
export function openCurrentStore(path: string, { timeoutMs = 10_000 } = {}): Database | undefined {
  if (!existsSync(path)) return undefined
  const database = openDatabase(path, { timeoutMs })
  try {
    if (versionOf(database, path) === schemaVersion) return setPragmas(database)
  } catch (error) {
    database.close()
    throw error
  }
  database.close()
  return undefined
}

/**
 * The schema version; 0 for an empty file. Rejects databases of other programs or of a later Drey without changing
 * them.
 */
export function versionOf(database: Database, path: string): number {
  const marks = database
    .prepare<{ application_id: number; user_version: number; tables: number }>(
      "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema) AS tables FROM pragma_application_id, pragma_user_version",
    )
    .get()
  const { application_id: application, user_version: version, tables } = marks ?? {}
  if (application === applicationId && version !== undefined && version <= schemaVersion) return version
  if (tables === 0 && version === 0 && application === 0) return 0
  if (application !== applicationId) throw new DreyError(`${path} is not a database of Drey's learned memory`)
  throw new DreyError(
    `${path} was written by a later version of Drey: its schema version is ${version}, this version supports ${schemaVersion}`,
    { hint: "Update Drey. The database was not changed." },
  )
}

export function setPragmas(database: Database): Database {
  // Learned memory cannot be rebuilt, so a committed write must survive a power cut.
  database.exec(
    "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA journal_size_limit = 8388608; PRAGMA cache_size = -16384",
  )
  return database
}

/** "Dreb" in ASCII: distinguishes this database from other programs' files and from an index. */
export const applicationId = 0x44726562

/** The schema version this code works with, which is the number of migrations. */
export const schemaVersion = 6
