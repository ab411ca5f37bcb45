import { randomUUID } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { dirname } from "node:path"
import { makeFolder } from "../disk/atomic-write.ts"
import { makeEmptyFile, removeFromHome } from "../disk/home-files.ts"
import { withLock } from "../disk/lock.ts"
import { type Database, isDamaged, keepStatements, openDatabase, retryWhileBusy } from "../disk/sqlite.ts"
import { fileError } from "../disk/text-files.ts"
import { DreyError } from "../errors.ts"
import { isRecord } from "../formats/objects.ts"
import type { LearnedStore, TaskUse } from "./learned-store.ts"
import { hasNotedUses, openCurrentStore, setNotesAside, setPragmas, versionOf } from "./ledger.ts"
import { migrateSqlite } from "./sqlite-migrations.ts"
import { runSteps } from "./steps.ts"
import { type StoreOptions, type StoreSession, storeMethods } from "./store-methods.ts"
import { recordTask } from "./uses.ts"

/** Learned memory in a SQLite file; any number of processes may have it open. The first write creates the file. */
export function sqliteStore(path: string, options: StoreOptions = {}): LearnedStore {
  return storeMethods(storeSession(path), options)
}

/** One process's session on a file of learned memory, opened by the first call that needs it. */
export function storeSession(path: string): StoreSession {
  let opened: Promise<Database> | undefined
  const open = () => {
    opened ??= openStoreFile(path)
      .then(keepStatements)
      .catch((error) => {
        opened = undefined // the problem may be fixed by the next call
        throw error
      })
    return opened
  }
  const openCounted = async () => {
    const database = await open()
    if (hasNotedUses(path)) await retryWhileBusy(() => importNotedUses(database, path))
    return database
  }
  const openCountedIfWritable = async () => {
    try {
      return await openCounted()
    } catch (error) {
      if (!(error instanceof DreyError)) throw error
      return open() // a read-only database can still be read, without the latest uses
    }
  }
  return {
    async read(query) {
      if (opened || existsSync(path)) {
        const database = await openCountedIfWritable()
        return database.transaction("deferred", () => runSteps(database, query()) as never)
      }
      const empty = openEmptyStore()
      try {
        return runSteps(empty, query())
      } finally {
        empty.close()
      }
    },
    async write(change) {
      const database = await openCounted()
      return retryWhileBusy(() => database.transaction("immediate", () => runSteps(database, change()) as never))
    },
    async writeLazily(change) {
      const database = await openCounted()
      return retryWhileBusy(() => {
        database.exec("PRAGMA synchronous = NORMAL") // skips the fsync: a third of the CPU, a tenth of the time
        try {
          return database.transaction("immediate", () => runSteps(database, change()) as never)
        } finally {
          database.exec("PRAGMA synchronous = FULL")
        }
      })
    },
    async compact() {
      const database = await open()
      // SQLite leaves deleted data in place until the space is reused.
      await retryWhileBusy(() => database.exec("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)"))
    },
    async close() {
      const database = await opened
      database?.close()
      opened = undefined
    },
  }
}

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
      migrateSqlite(setPragmas(database))
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
function openEmptyStore(): Database {
  const database = setPragmas(openDatabase(":memory:"))
  migrateSqlite(database)
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

/** Imports the uses logged by hooks, then removes each file. Importing a file twice has no effect. */
function importNotedUses(database: Database, path: string): void {
  for (const file of setNotesAside(path, randomUUID)) {
    const uses = readUses(file)
    database.transaction("immediate", () => {
      for (const use of uses) runSteps(database, recordTask(use))
    })
    removeFromHome(file)
  }
}

function readUses(file: string): TaskUse[] {
  return readText(file).split("\n").flatMap(readLine)
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8")
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "" // another process has imported it
    throw error
  }
}

function readLine(line: string): TaskUse[] {
  try {
    const value: unknown = JSON.parse(line)
    return isTaskUse(value) ? [value] : []
  } catch {
    return [] // a killed process left it unfinished: one use is lost
  }
}

function isTaskUse(value: unknown): value is TaskUse {
  if (!isRecord(value) || !Array.isArray(value.memories)) return false
  const { task, project, session = "", agent = "", taskHash, ts } = value
  return (
    [task, project, session, agent, taskHash, ts].every((each) => typeof each === "string") &&
    !Number.isNaN(Date.parse(String(ts))) &&
    value.memories.every(
      (each) =>
        isRecord(each) && typeof each.id === "string" && Number.isFinite(each.rank) && Number.isFinite(each.score),
    )
  )
}
