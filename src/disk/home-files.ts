import {
  appendFileSync,
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import module from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"

// Files of Drey's own home and of its temporary folders, which no clone can bring. None of these functions waits
// for the disk, and the file loads nothing else: hooks use it. Data that must not be lost is written by `atomic-write.ts`.

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

/** Does nothing if the file does not exist. */
export function removeFromHome(path: string): void {
  rmSync(path, { force: true })
}

export function makeHomeFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 })
}

export function makePrivate(path: string, mode = 0o600): void {
  chmodSync(path, mode)
}

/** Opens a file for appending and creates it if missing; the caller closes it. */
export function openInHome(path: string): number {
  return openSync(path, "a", 0o600)
}

/** Not for a file on which this process may have a lock: closing a handle drops it. */
export function makeEmptyFile(path: string): void {
  closeSync(openInHome(path))
}

/**
 * Why a folder is not private to the user, as the end of a sentence; undefined if it is, or if it does not exist. Windows manages access
 * in another way and is not checked.
 */
export function whyNotPrivate(folder: string): string | undefined {
  const user = process.getuid?.()
  const found = lstatSync(folder, { throwIfNoEntry: false })
  if (found === undefined || user === undefined) return undefined
  if (!found.isDirectory()) return "it is not a folder" // a link is not one either: its creator may redirect it
  if (found.uid !== user) return "it belongs to another user"
  return (found.mode & 0o077) === 0 ? undefined : "other users can enter it"
}

/** An empty folder that only this user can enter; the caller removes it. */
export function makeTemporaryFolder(name: string): string {
  return mkdtempSync(join(tmpdir(), `drey-${name}-`))
}

export function removeTemporaryFolder(path: string): void {
  rmSync(path, { recursive: true, force: true })
}

export function copyToTemporary(from: string, to: string): void {
  copyFileSync(from, to)
  chmodSync(to, 0o600)
}

/** The user's login at a team server, when there is one. */
export function loginPath(home: string): string {
  return join(home, "team.json")
}

/** Turns on Node's compile cache (Node 22 and later), unless Drey's home does not exist yet. */
export function enableCompileCache(home: string): void {
  const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown }
  if (enableCompileCache && existsSync(home)) enableCompileCache(join(home, "compiled"))
}
