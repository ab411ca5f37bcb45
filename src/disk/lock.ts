import { lstatSync, readdirSync, type Stats, statSync, writeFileSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { DreyError, exitCode } from "../errors.ts"
import { makeFolder } from "./atomic-write.ts"
import { type Database, isBusy, openWithoutReading } from "./sqlite.ts"
import { codeOf, fileError } from "./text-files.ts"

/** The one lock under which a store's files are changed. */
export function storeLockPath(storeFolder: string): string {
  return join(storeFolder, ".drey", "lock")
}

/**
 * Runs `act` while holding the exclusive lock of a folder that may come with a clone: the team folder or a session's. The folder `.drey`
 * in it must be a real one, so that no lock is created or opened outside of it.
 */
export function withFolderLock<Result>(
  folder: string,
  act: () => Result | Promise<Result>,
  options: { waitMs?: number; name?: "lock" | "graduation.lock" } = {},
): Promise<Result> {
  const path = join(dirname(storeLockPath(folder)), options.name ?? "lock")
  return withLock(path, act, { waitMs: options.waitMs ?? usualWait, isInRepository: true })
}

/**
 * Runs `act` while holding the lock, exclusively across processes; the kernel releases it with the process. Not re-entrant: `act` must not
 * take the same lock. Never read the lock file with `node:fs`: when a process closes any handle of a file, POSIX drops all locks that the
 * process has on it (SQLite's own handles know how to avoid that).
 */
export async function withLock<Result>(
  lockPath: string,
  act: () => Result | Promise<Result>,
  options: { waitMs?: number; isInRepository?: boolean } = {},
): Promise<Result> {
  const lock = await takeLock(lockPath, options.waitMs ?? usualWait, options.isInRepository ?? false)
  try {
    return await act()
  } finally {
    lock.close() // ends the transaction, and the lock with it
  }
}

const usualWait = 10_000

/** The same without waiting: a lock held by another process is a result, not an error. */
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

async function takeLock(lockPath: string, waitMs: number, isInRepository: boolean): Promise<Database> {
  const began = performance.now()
  for (;;) {
    if (isInRepository) requireRealFolder(dirname(lockPath))
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

/** A briefly held lock is retried at once, a contended one at intervals; a long waiter must not lose to newcomers. */
function pauseAfter(waitedMs: number): number {
  return waitedMs < 100 ? 5 : waitedMs < 2000 ? 40 : 4
}

/**
 * Starts over each time: a file that was deleted and made again while we waited is another lock. SQLite reads the file, and
 * a journal beside it, only at the first statement, so the second check comes after opening and before that.
 */
function tryLock(lockPath: string): Database | undefined {
  makeLockFile(lockPath)
  const found = plainLock(lockPath)
  if (!found) return undefined // another process removed the folder in this moment
  let lock: Database | undefined
  try {
    lock = openWithoutReading(lockPath, { timeoutMs: 0 })
    if (plainLock(lockPath)?.ino !== found.ino) {
      lock.close()
      return undefined
    }
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
 * A lock is a plain empty file without any SQLite files beside it. A clone can contain anything else: a journal that SQLite would replay,
 * deleting files, or a link to another database. `lstat` opens nothing, so no lock is dropped.
 */
function plainLock(lockPath: string): Stats | undefined {
  const found = look(lockPath)
  if (!found) return undefined
  if (found.isSymbolicLink()) throw unusable(lockPath, "is a link")
  if (!found.isFile()) throw unusable(lockPath, "is not a regular file")
  if (found.size > 0) throw unusable(lockPath, "is not empty")
  if (found.nlink > 1) throw unusable(lockPath, "has another hard link")
  for (const part of ["-journal", "-wal", "-shm"]) {
    if (look(lockPath + part)) throw unusable(lockPath + part, "does not belong there")
  }
  return found
}

function look(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch (error) {
    if (codeOf(error) === "ENOTDIR") return undefined
    throw fileError(path, error)
  }
}

function unusable(path: string, problem: string): DreyError {
  return new DreyError(`${path} ${problem}, so it cannot be used as a lock`, {
    hint: `Delete ${basename(path)} and try again; Drey makes an empty lock file by itself.`,
  })
}

function requireRealFolder(folder: string): void {
  const found = look(folder)
  if (!found || found.isDirectory()) return
  throw new DreyError(
    `${folder} is ${found.isSymbolicLink() ? "a link" : "a file"}, not a folder, so no lock is kept in it`,
    {
      hint: "Delete it and try again; Drey makes the folder by itself.",
    },
  )
}

/**
 * An empty folder was just created, or was created by a process that was killed right after. Permissions are inherited from the folder
 * above: in a private one it is private.
 */
function makeLockFile(lockPath: string): void {
  if (look(lockPath)) return
  const folder = dirname(resolve(lockPath))
  try {
    makeFolder(folder, modeAbove(folder))
    const mode = modeAbove(folder) & 0o666
    if (readdirSync(folder).length === 0) makeFile(join(folder, ".gitignore"), "*\n", mode)
    makeFile(lockPath, "", mode) // nothing can hold a lock on a file that did not exist; see above for why never later
  } catch (error) {
    throw fileError(folder, error)
  }
}

/** Only where nothing has the name, not even a link. */
function makeFile(path: string, text: string, mode: number): void {
  try {
    writeFileSync(path, text, { mode, flag: "wx" })
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error // otherwise another process was faster
  }
}

/** Of the nearest folder upwards that is there. */
function modeAbove(folder: string): number {
  const stats = statSync(folder, { throwIfNoEntry: false })
  return stats || dirname(folder) === folder ? (stats?.mode ?? 0o777) & 0o777 : modeAbove(dirname(folder))
}
