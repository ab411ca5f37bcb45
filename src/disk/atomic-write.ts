import { createHash, randomBytes } from "node:crypto"
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { DreyError, exitCode } from "../errors.ts"
import { sha256 } from "./hash.ts"
import { codeOf, fileError, requireRegularFile } from "./text-files.ts"

const newFileMode = 0o666 // minus the bits that the user's umask removes
const permissionBits = 0o7777

/**
 * Replaces a file atomically: a reader, at any time and after any crash, sees the old content or the new, never a mixture. When it
 * returns, the new content is on disk. `mode` is for a new file; an existing one keeps its permissions. `derived` is for content that can
 * be rebuilt from other files: it is not synced, so a power failure may leave it old or empty. `replaces` is the hash of what the caller
 * read, `null` for no file: if the file has changed since, it is left unchanged. A link is refused; `safe-paths.ts` follows the allowed
 * ones.
 */
export function writeFileAtomic(path: string, content: string | Uint8Array, options: FileWriteOptions = {}): void {
  replaceFile(path, options, (handle) => writeFileSync(handle, content))
}

/** Writes a file in Drey's home, readable only by the user, and creates the folders above it. */
export function writePrivateFile(
  path: string,
  content: string | Uint8Array,
  options: { derived?: boolean } = {},
): void {
  makeFolder(dirname(resolve(path)), 0o700)
  writeFileAtomic(path, content, { ...options, mode: 0o600 })
}

type FileWriteOptions = { mode?: number; derived?: boolean; replaces?: string | null }

/** Adds to the end of a file in one write, so that lines from several processes never mix, and returns once it is on disk. */
export function appendFileDurable(path: string, text: string): void {
  explained(path, () => {
    makeFolder(dirname(resolve(path)))
    const old = existing(path)
    reportOperation("append", path)
    withHandle(path, appending, newFileMode, (handle) => {
      const bytes = Buffer.from(text)
      const written = writeSync(handle, bytes)
      // A second write for the rest could end up after another process's line, so a torn end is reported, not repaired.
      if (written < bytes.length) throw new DreyError(`${path} took only ${written} of ${bytes.length} bytes`)
      fsyncSync(handle)
    })
    if (!old) syncFolder(dirname(path))
  })
}

const appending = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0)

/** Copies a file whole, reads the copy back and compares; returns the SHA-256 of both. */
export function copyFileVerified(from: string, to: string, options: Pick<FileWriteOptions, "replaces"> = {}): string {
  return explained(from, () => {
    requireRegularFile(from, statSync(from))
    return withHandle(from, "r", 0, (source) => {
      let sum = ""
      replaceFile(to, { ...options, mode: fstatSync(source).mode & permissionBits }, (copy) => {
        for (const chunk of chunksOf(source)) writeFileSync(copy, chunk)
        fsyncSync(copy)
        sum = sha256Of(source) // read again, to detect a concurrent write during the copy
        if (sha256Of(copy) !== sum) throw new DreyError(`${to} differs from ${from}, which it was copied from`)
      })
      return sum
    })
  })
}

/** Removes a file, if it is there; when it returns, it is gone from the disk too. */
export function removeFileDurable(path: string): void {
  explained(path, () => {
    reportOperation("remove", path)
    rmSync(path, { force: true })
    syncFolder(dirname(path))
  })
}

/** Removes a folder with its content, never the target of a link: a link in its place stays. */
export function removeFolder(path: string): void {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  reportOperation("remove", path)
  rmSync(path, { recursive: true, force: true })
}

/** Removes an empty folder; one that has content or cannot be removed stays. */
export function removeFolderIfEmpty(path: string): void {
  try {
    rmdirSync(path)
  } catch (error) {
    if (!["ENOTEMPTY", "EEXIST", "ENOENT", "ENOTDIR", "EPERM", "EACCES"].includes(codeOf(error) ?? "")) throw error
  }
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
function replaceFile(path: string, options: FileWriteOptions, fill: (handle: number) => void): void {
  explained(path, () => {
    const { derived = false, mode = newFileMode, replaces } = options
    const target = resolve(path)
    const old = existing(target)
    makeFolder(dirname(target))
    const temporary = temporaryPath(target)
    try {
      reportOperation("create", temporary)
      withHandle(temporary, "wx+", old ? old.mode & permissionBits : mode, (handle) => {
        if (old) keepOwnerAndMode(handle, old)
        fill(handle)
        if (!derived) fsyncSync(handle)
      })
      reportOperation("rename", target)
      if (replaces !== undefined) requireUnchanged(target, replaces)
      renameSync(temporary, target) // same folder, so same disk: never a half-written file
    } catch (error) {
      rmSync(temporary, { force: true })
      throw error
    }
    if (!derived) syncFolder(dirname(target))
  })
}

/** In the last moment before the new content takes the file's name. */
function requireUnchanged(path: string, hash: string | null): void {
  const now = lstatSync(path, { throwIfNoEntry: false }) ? sha256(readFileSync(path)) : null
  if (now === hash) return
  throw new DreyError(`${path} changed in the meantime; nothing was written`, {
    hint: "Run the command again to start from the current file.",
    exitCode: exitCode.no,
  })
}

function existing(path: string): Stats | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats?.isSymbolicLink())
    throw new DreyError(`${path} is a link, which is not followed`, { hint: "Put the file itself there." })
  if (stats) requireRegularFile(path, stats)
  return stats
}

/**
 * Removes what killed processes left in a folder. Call it only while no other process can write there: under the lock that all writers
 * take.
 */
export function removeTemporaries(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isFile() && temporaryName.test(entry.name)) rmSync(join(folder, entry.name), { force: true })
}

const temporaryName = /^\..*\.[0-9a-f]{16}\.tmp$/

/** The name cannot be guessed, so no link can be put there first; readers skip names with a leading dot and `.tmp`. */
function temporaryPath(target: string): string {
  const name = basename(target).slice(0, 50) // with the rest, still short enough for every file system
  return join(dirname(target), `.${name}.${randomBytes(8).toString("hex")}.tmp`)
}

function keepOwnerAndMode(handle: number, old: Stats): void {
  if (process.getuid?.() === 0) fchownSync(handle, old.uid, old.gid) // root does not take over a user's file
  fchmodSync(handle, old.mode & permissionBits)
}

function syncFolder(folder: string): void {
  try {
    withHandle(folder, "r", 0, fsyncSync)
  } catch (error) {
    // Windows, some network disks and folders without read permission cannot be synced; the file itself has been.
    if (!["EACCES", "EINVAL", "EISDIR", "ENOTSUP", "EPERM"].includes(codeOf(error) ?? "")) throw error
  }
}

function sha256Of(handle: number): string {
  const sum = createHash("sha256")
  for (const chunk of chunksOf(handle)) sum.update(chunk)
  return sum.digest("hex")
}

/** A file's bytes from the start; each chunk is valid until the next is requested. */
function* chunksOf(handle: number): Generator<Uint8Array> {
  const buffer = Buffer.allocUnsafe(1024 * 1024)
  for (let position = 0; ; ) {
    const length = readSync(handle, buffer, 0, buffer.length, position)
    if (length === 0) return
    yield buffer.subarray(0, length)
    position += length
  }
}

function withHandle<Result>(
  path: string,
  flags: string | number,
  mode: number,
  use: (handle: number) => Result,
): Result {
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

/** Gives a file another name on the same disk, taking the place of a file that has it; when it returns, the name is on disk. */
export function renameFileDurable(from: string, to: string): void {
  try {
    reportOperation("rename", to)
    renameSync(from, to)
    syncFolderFile(dirname(to))
  } catch (error) {
    throw fileError(from, error)
  }
}

function syncFolderFile(folder: string): void {
  let handle: number | undefined
  try {
    handle = openSync(folder, "r")
    fsyncSync(handle)
  } catch (error) {
    // Windows and some network disks cannot sync a folder; the files in it have been.
    if (!["EACCES", "EINVAL", "EISDIR", "ENOTSUP", "EPERM"].includes(codeOf(error) ?? "")) throw error
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}

export type FileOperation = "create" | "rename" | "append" | "remove"

let listener: ((operation: FileOperation, path: string) => void) | undefined

/** Lets a test see, or end the process at, every change to the disk. Nothing in Drey itself listens. @public */
export function onFileOperation(listen: typeof listener): void {
  listener = listen
}

/** Called before each change to the disk. */
function reportOperation(operation: FileOperation, path: string): void {
  listener?.(operation, path)
}
