import { existsSync } from "node:fs"
import { type Database, isBusy, keepStatements } from "../disk/sqlite.ts"
import { DreyError } from "../errors.ts"
import { openEmptyStore, openStoreFile } from "./open-store-file.ts"
import { runSteps } from "./steps.ts"
import type { StoreSession } from "./store-methods.ts"
import { takeInUses } from "./take-in-uses.ts"
import { hasNotedUses } from "./use-log.ts"

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
    if (hasNotedUses(path)) await waiting(() => takeInUses(database, path))
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
      return waiting(() => database.transaction("immediate", () => runSteps(database, change()) as never))
    },
    async writeLazily(change) {
      const database = await openCounted()
      return waiting(() => {
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
      await waiting(() => database.exec("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)"))
    },
    async close() {
      const database = await opened
      database?.close()
      opened = undefined
    },
  }
}

const longestWaitMs = 60_000

/** Another process may hold a transaction for longer than SQLite's lock timeout. */
async function waiting<Result>(act: () => Result): Promise<Result> {
  const deadline = performance.now() + longestWaitMs
  for (;;) {
    try {
      return act()
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}
