import { appendFileSync, chmodSync, closeSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs"

// Files of Drey's own home and of its temporary folders, which no clone can bring. None of these functions waits
// for the disk, and the file loads nothing else: hooks use it. What must not be lost is written by `write-file-atomic.ts`.

/** One write, so that lines of several processes never mix. */
export function appendToHome(path: string, text: string): void {
  appendFileSync(path, text, { mode: 0o600 })
}

/** `isNew` throws `EEXIST` where there is such a file. */
export function writeInHome(path: string, text: string, { isNew = false } = {}): void {
  writeFileSync(path, text, { mode: 0o600, flag: isNew ? "wx" : "w" })
}

export function renameInHome(from: string, to: string): void {
  renameSync(from, to)
}

/** Does nothing where there is no such file. */
export function removeFromHome(path: string): void {
  rmSync(path, { force: true })
}

export function makeHomeFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 })
}

export function keepOthersOut(path: string, mode = 0o600): void {
  chmodSync(path, mode)
}

/** Opens a file to be added to, and makes it where there is none; the caller closes it. */
export function openInHome(path: string): number {
  return openSync(path, "a", 0o600)
}

/** Not for a file on which this process may have a lock: closing a handle drops it. */
export function makeEmptyFile(path: string): void {
  closeSync(openInHome(path))
}
