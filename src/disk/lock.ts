import { closeSync, existsSync, openSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { DreyError, exitCode } from "../errors.ts"
import { fileError } from "./file-error.ts"
import { type Database, isBusy, openDatabase } from "./sqlite.ts"
import { makeFolder } from "./write-file-atomic.ts"

/** The one lock under which a store's files are changed. */
export function storeLockPath(storeFolder: string): string {
  return join(storeFolder, ".drey", "lock")
}

/**
 * Runs `act` while nobody else, in this process or another, holds the lock; the kernel frees it with the process.
 * Not re-entrant: `act` must not ask for the same lock. Never read the lock file with `node:fs`: when a process closes
 * any handle of a file, POSIX drops all locks that the process has on it (SQLite's own handles know how to avoid that).
 */
export async function withLock<Result>(
  lockPath: string,
  act: () => Result | Promise<Result>,
  options: { waitMs?: number } = {},
): Promise<Result> {
  const lock = await takeLock(lockPath, options.waitMs ?? 10_000)
  try {
    return await act()
  } finally {
    lock.close() // ends the transaction, and the lock with it
  }
}

/** The same for who does not wait: somebody else holding the lock is an answer, no error. */
export async function withLockIfFree<Result>(
  lockPath: string,
  act: () => Result | Promise<Result>,
): Promise<{ kind: "done"; result: Result } | { kind: "held" }> {
  const lock = tryLock(lockPath)
  if (!lock) return { kind: "held" }
  try {
    return { kind: "done", result: await act() }
  } finally {
    lock.close()
  }
}

async function takeLock(lockPath: string, waitMs: number): Promise<Database> {
  const began = performance.now()
  for (;;) {
    const lock = tryLock(lockPath)
    if (lock) return lock
    const waitedMs = performance.now() - began
    const leftMs = waitMs - waitedMs
    if (leftMs <= 0) {
      throw new DreyError(`${lockPath} is held by another Drey process; gave up after ${waitMs / 1000} s`, {
        hint: "Try again when the other process is done.",
        exitCode: exitCode.no,
      })
    }
    await pause(Math.min(leftMs, pauseAfter(waitedMs) * (0.5 + Math.random() / 2))) // in step, the waiters would all miss the same gap
  }
}

/** A lock that is held for a moment is asked for again at once, one that many want now and then; who has waited long must not lose to those who have just come. */
function pauseAfter(waitedMs: number): number {
  return waitedMs < 100 ? 5 : waitedMs < 2000 ? 40 : 4
}

/** Begins anew each time: a file that was deleted and made again while we waited is another lock. */
function tryLock(lockPath: string): Database | undefined {
  makeLockFolder(lockPath)
  let lock: Database | undefined
  try {
    lock = openDatabase(lockPath, { timeoutMs: 0 })
    lock.exec("PRAGMA journal_mode = MEMORY") // nothing is ever written: no journal file comes and goes
    lock.exec("BEGIN EXCLUSIVE")
    return lock
  } catch (error) {
    lock?.close()
    if (isBusy(error)) return undefined
    throw error
  }
}

/**
 * An empty folder is one that we just made, or that a process made which was killed before it got further. What is made is as open to
 * others as the folder above: in a private one it is private.
 */
function makeLockFolder(lockPath: string): void {
  if (existsSync(lockPath)) return
  const folder = dirname(resolve(lockPath))
  try {
    makeFolder(folder, modeAbove(folder))
    const mode = modeAbove(folder) & 0o666
    if (readdirSync(folder).length === 0) writeFileSync(join(folder, ".gitignore"), "*\n", { mode })
    closeSync(openSync(lockPath, "a", mode)) // nobody can hold a lock on what was not there; see above for why never later
  } catch (error) {
    throw fileError(folder, error)
  }
}

/** Of the nearest folder upwards that is there. */
function modeAbove(folder: string): number {
  const stats = statSync(folder, { throwIfNoEntry: false })
  return stats || dirname(folder) === folder ? (stats?.mode ?? 0o777) & 0o777 : modeAbove(dirname(folder))
}
