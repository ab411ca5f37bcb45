import { createHash, randomBytes } from "node:crypto"
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
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

/**
 * Writes a new file under a temporary name and waits until it is on disk; `place` gives it its name. So the lock that guards the names
 * is not held while the disk works.
 */
export function prepareFile(folder: string, content: string): PreparedFile {
  return explained(folder, () => {
    makeFolder(folder)
    const temporary = temporaryPath(join(folder, "new"))
    const discard = () => rmSync(temporary, { force: true })
    try {
      fillNew(temporary, newFileMode, (handle) => writeFileSync(handle, content), false)
    } catch (error) {
      discard()
      throw error
    }
    return { place: (path) => placeFile(temporary, path), discard }
  })
}

export type PreparedFile = {
  /** In the same folder; throws if there is a file. The result waits until the name is on disk. */
  place(path: string): () => void
  discard(): void
}

function placeFile(temporary: string, path: string): () => void {
  return explained(path, () => {
    reportOperation("rename", path)
    requireUnchanged(path, null)
    renameSync(temporary, path)
    return () => syncFolder(dirname(path))
  })
}

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
      syncHandle(handle, path)
    })
    if (!old) syncFolder(dirname(path))
  })
}

const appending = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0)

/**
 * Replaces the last bytes of a file in place: for content that can be rebuilt, since a reader may see half of the change and a power
 * failure may keep half of it. With `derived` it does not wait for the disk. `change` gets them as one character each, and returns how many stay and what follows.
 * False if it refuses, or if the file is missing or has another name, whose content must not change with it.
 */
export function replaceEnd(
  path: string,
  { bytes, derived }: { bytes: number; derived: boolean },
  change: (end: string, isWhole: boolean) => { keep: number; text: string } | undefined,
): boolean {
  return explained(path, () => {
    const old = existing(path)
    if (!old || old.nlink > 1) return false
    return withHandle(path, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0), 0, (handle) => {
      const { size } = fstatSync(handle)
      const end = Buffer.alloc(Math.min(size, bytes))
      readSync(handle, end, 0, end.length, size - end.length)
      const changed = change(end.toString("latin1"), end.length === size)
      if (!changed) return false
      reportOperation("append", path)
      const start = size - end.length + changed.keep
      const written = writeSync(handle, Buffer.from(changed.text), 0, undefined, start)
      if (start + written < size) ftruncateSync(handle, start + written)
      if (!derived) syncHandle(handle, path)
      return true
    })
  })
}

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
      const fillCopy = (handle: number) => {
        if (old) keepOwnerAndMode(handle, old)
        fill(handle)
      }
      fillNew(temporary, old ? old.mode & permissionBits : mode, fillCopy, derived)
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

function fillNew(temporary: string, mode: number, fill: (handle: number) => void, derived: boolean): void {
  reportOperation("create", temporary)
  withHandle(temporary, "wx+", mode, (handle) => {
    fill(handle)
    if (!derived) syncHandle(handle, temporary)
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
    withHandle(folder, "r", 0, (handle) => syncHandle(handle, folder))
  } catch (error) {
    // Windows, some network disks and folders without read permission cannot be synced; the file itself has been.
    if (!["EACCES", "EINVAL", "EISDIR", "ENOTSUP", "EPERM"].includes(codeOf(error) ?? "")) throw error
  }
}

function syncHandle(handle: number, path: string): void {
  fsyncSync(handle)
  syncListener?.(path)
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
    syncFolder(dirname(to))
  } catch (error) {
    throw fileError(from, error)
  }
}

export type FileOperation = "create" | "rename" | "append" | "remove"

let listener: ((operation: FileOperation, path: string) => void) | undefined

/** Lets a test see, or end the process at, every change to the disk. Nothing in Drey itself listens. @public */
export function onFileOperation(listen: typeof listener): void {
  listener = listen
}

let syncListener: ((path: string) => void) | undefined

/** Lets a test know what a power failure cannot take away. Nothing in Drey itself listens. @public */
export function onFileSync(listen: typeof syncListener): void {
  syncListener = listen
}

/** Called before each change to the disk. */
function reportOperation(operation: FileOperation, path: string): void {
  listener?.(operation, path)
}
