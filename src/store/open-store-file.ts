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

/** Opens the database of learned memory, creating or migrating it if necessary. */
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
    const hint = "Move the file away and run drey replay: everything still in the transcripts is learned again."
    throw new DreyError(error.message, { hint, cause: error.cause })
  }
}

/** An empty in-memory database, so that a read never creates a file. */
export function openEmptyStore(): Database {
  const database = tuned(openDatabase(":memory:"))
  migrate(database)
  return database
}

/** Only the user may read learned memory. SQLite gives the files beside it the same permissions. */
function makePrivateFile(path: string): void {
  try {
    if (existsSync(path)) return // closing a handle of our own would drop this process's locks on the file
    makeFolder(dirname(path), 0o700)
    makeEmptyFile(path)
  } catch (error) {
    throw fileError(path, error)
  }
}
