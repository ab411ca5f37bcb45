import { existsSync } from "node:fs"
import { type Database, isBusy, keepStatements } from "../disk/sqlite.ts"
import { DreyError } from "../errors.ts"
import { openEmptyStore, openStoreFile } from "./open-store-file.ts"
import { runSteps } from "./steps.ts"
import type { StoreSession } from "./store-methods.ts"
import { takeInUses } from "./take-in-uses.ts"
import { hasNotedUses } from "./use-log.ts"

/** A file of learned memory as one process has it open, from the first call on that needs it. */
export function storeSession(path: string): StoreSession {
  let opened: Promise<Database> | undefined
  const open = () => {
    opened ??= openStoreFile(path)
      .then(keepStatements)
      .catch((error) => {
        opened = undefined // the next call may find the trouble mended
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
      return open() // what cannot be written can be read, without the last uses
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
        database.exec("PRAGMA synchronous = NORMAL") // does not wait for the disk: a third of the CPU, a tenth of the time
        try {
          return database.transaction("immediate", () => runSteps(database, change()) as never)
        } finally {
          database.exec("PRAGMA synchronous = FULL")
        }
      })
    },
    async compact() {
      const database = await open()
      // SQLite leaves what was deleted where it was until something else needs the place.
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

/** Another process may be in a transaction for longer than SQLite waits for a lock. */
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
