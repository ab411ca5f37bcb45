import { existsSync } from "node:fs"
import { dirname } from "node:path"
import { fileError } from "../disk/file-error.ts"
import { makeEmptyFile } from "../disk/home-files.ts"
import { withLock } from "../disk/lock.ts"
import { type Database, isDamaged, openDatabase } from "../disk/sqlite.ts"
import { makeFolder } from "../disk/write-file-atomic.ts"
import { DreyError } from "../errors.ts"
import { migrate } from "./migrations.ts"
import { openCurrentStore, tuned, versionOf } from "./open-current-store.ts"

/** Opens the database of learned memory; makes it, or brings it to this version, where that is due. */
export async function openStoreFile(path: string): Promise<Database> {
  const ready = openIfCurrent(path)
  if (ready) return ready
  makePrivateFile(path)
  return withLock(`${path}.lock`, () => {
    const database = openDatabase(path, { timeoutMs: 10_000 })
    try {
      versionOf(database, path)
      database.exec("PRAGMA journal_mode = WAL")
      migrate(tuned(database))
      return database
    } catch (error) {
      database.close()
      throw error
    }
  })
}

function openIfCurrent(path: string): Database | undefined {
  try {
    return openCurrentStore(path)
  } catch (error) {
    if (!(error instanceof DreyError) || !isDamaged(error)) throw error
    const hint = "Move the file aside and run: drey replay. What is still in the transcripts is learned again."
    throw new DreyError(error.message, { hint, cause: error.cause })
  }
}

/** A database in memory that answers as an empty one does, so that a question alone creates no file. */
export function openEmptyStore(): Database {
  const database = tuned(openDatabase(":memory:"))
  migrate(database)
  return database
}

/** Nobody else may read what was learned. SQLite gives the files beside it the same permissions. */
function makePrivateFile(path: string): void {
  try {
    if (existsSync(path)) return // to close a handle of our own would drop locks that this process has on it
    makeFolder(dirname(path), 0o700)
    makeEmptyFile(path)
  } catch (error) {
    throw fileError(path, error)
  }
}
