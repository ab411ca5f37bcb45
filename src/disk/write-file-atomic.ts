import { createHash, randomBytes } from "node:crypto"
import {
  closeSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { DreyError } from "../errors.ts"
import { codeOf, fileError } from "./file-error.ts"
import { announce } from "./file-operations.ts"
import { requireRegularFile } from "./read-text-file.ts"

const newFileMode = 0o666 // less what the user's umask takes away
const permissionBits = 0o7777

/**
 * Replaces a file whole: whoever looks, at any time and after any crash, finds the old content or the new, never a mixture.
 * When it returns, the new content is on disk. `mode` is for a new file; an old one keeps its permissions. `derived` is for what can be
 * made anew from other files: it does not wait for the disk, so that a power cut may leave it old or empty.
 */
export function writeFileAtomic(
  path: string,
  content: string | Uint8Array,
  options: { mode?: number; derived?: boolean } = {},
): void {
  replaceFile(path, options.mode ?? newFileMode, (handle) => writeFileSync(handle, content), options.derived)
}

/** Adds to the end of a file in one write, so that lines from several processes never mix, and returns once it is on disk. */
export function appendFileDurable(path: string, text: string): void {
  explained(path, () => {
    makeFolder(dirname(resolve(path)))
    const old = existing(path)
    announce("append", path)
    withHandle(path, "a", newFileMode, (handle) => {
      const bytes = Buffer.from(text)
      const written = writeSync(handle, bytes)
      // A second write for the rest could land behind another process's line, so a torn end is reported, not mended.
      if (written < bytes.length) throw new DreyError(`${path} took only ${written} of ${bytes.length} bytes`)
      fsyncSync(handle)
    })
    if (!old) syncFolder(dirname(path))
  })
}

/** Copies a file whole, reads the copy back and compares; returns the SHA-256 of both. */
export function copyFileVerified(from: string, to: string): string {
  return explained(from, () => {
    requireRegularFile(from, statSync(from))
    return withHandle(from, "r", 0, (source) => {
      let sha256 = ""
      replaceFile(to, fstatSync(source).mode & permissionBits, (copy) => {
        for (const chunk of chunksOf(source)) writeFileSync(copy, chunk)
        fsyncSync(copy)
        sha256 = sha256Of(source) // read again, to notice somebody who wrote while we copied
        if (sha256Of(copy) !== sha256) throw new DreyError(`${to} differs from ${from}, which it was copied from`)
      })
      return sha256
    })
  })
}

/** Removes a file, if it is there; when it returns, it is gone from the disk too. */
export function removeFileDurable(path: string): void {
  explained(path, () => {
    announce("remove", path)
    rmSync(path, { force: true })
    syncFolder(dirname(path))
  })
}

/** Creates missing folders on the way to this one; when it returns, their names are on disk. */
export function makeFolder(folder: string, mode = 0o777): void {
  const path = resolve(folder)
  const above = dirname(path)
  if (isFolder(path)) return
  if (above !== path) makeFolder(above, mode) // not `recursive`: where a system folder takes no new names, Node would try for ever
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    if (codeOf(error) === "EEXIST" && isFolder(path)) return // another process was faster
    throw error
  }
  syncFolder(above)
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** `fill` writes a temporary file beside the target, which takes the target's name only when all of it is on disk. */
function replaceFile(path: string, mode: number, fill: (handle: number) => void, derived = false): void {
  explained(path, () => {
    const target = followLink(resolve(path))
    const old = existing(target)
    makeFolder(dirname(target))
    const temporary = temporaryPath(target)
    try {
      announce("create", temporary)
      withHandle(temporary, "wx+", old ? old.mode & permissionBits : mode, (handle) => {
        if (old) keepOwnerAndMode(handle, old)
        fill(handle)
        if (!derived) fsyncSync(handle)
      })
      announce("rename", target)
      renameSync(temporary, target) // same folder, so same disk: never a half-written file
    } catch (error) {
      rmSync(temporary, { force: true })
      throw error
    }
    if (!derived) syncFolder(dirname(target))
  })
}

/** Where the path leads: a link stays a link, also one to a file that does not exist yet. */
function followLink(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error
  }
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return path
  return followLink(resolve(realpathSync(dirname(path)), readlinkSync(path)))
}

function existing(path: string): Stats | undefined {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats) requireRegularFile(path, stats)
  return stats
}

/** Removes what killed processes left in a folder. Call it where nobody else can be writing there: under the lock of all who do. */
export function removeTemporaries(folder: string): void {
  for (const name of readdirSync(folder)) if (temporaryName.test(name)) rmSync(join(folder, name), { force: true })
}

const temporaryName = /^\..*\.[0-9a-f]{16}\.tmp$/

/** Nobody can guess the name and put a link there first; a leading dot and `.tmp` tell every reader to pass over it. */
function temporaryPath(target: string): string {
  const name = basename(target).slice(0, 50) // with the rest, still a name that every disk takes
  return join(dirname(target), `.${name}.${randomBytes(8).toString("hex")}.tmp`)
}

function keepOwnerAndMode(handle: number, old: Stats): void {
  if (process.getuid?.() === 0) fchownSync(handle, old.uid, old.gid) // root does not take a person's file away
  fchmodSync(handle, old.mode & permissionBits)
}

function syncFolder(folder: string): void {
  try {
    withHandle(folder, "r", 0, fsyncSync)
  } catch (error) {
    // Windows, some network disks and folders we may not list cannot be synced; the file itself has been.
    if (!["EACCES", "EINVAL", "EISDIR", "ENOTSUP", "EPERM"].includes(codeOf(error) ?? "")) throw error
  }
}

function sha256Of(handle: number): string {
  const sum = createHash("sha256")
  for (const chunk of chunksOf(handle)) sum.update(chunk)
  return sum.digest("hex")
}

/** A file's bytes from its beginning; each chunk is valid until the next is asked for. */
function* chunksOf(handle: number): Generator<Uint8Array> {
  const buffer = Buffer.allocUnsafe(1024 * 1024)
  for (let position = 0; ; ) {
    const length = readSync(handle, buffer, 0, buffer.length, position)
    if (length === 0) return
    yield buffer.subarray(0, length)
    position += length
  }
}

function withHandle<Result>(path: string, flags: string, mode: number, use: (handle: number) => Result): Result {
  const handle = openSync(path, flags, mode)
  try {
    return use(handle)
  } finally {
    closeSync(handle)
  }
}

function explained<Result>(path: string, act: () => Result): Result {
  try {
    return act()
  } catch (error) {
    throw fileError(path, error)
  }
}
