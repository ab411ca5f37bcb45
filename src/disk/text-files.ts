import { isUtf8 } from "node:buffer"
import { hash } from "node:crypto"
import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  type Stats,
  statSync,
} from "node:fs"
import { DreyError } from "../errors.ts"

export type TextFile = { path: string; text: string; bytes: number; readonly sha256: string; modifiedMs: number }

const mebibyte = 1024 * 1024

/** The maximum size of a settings file: a clone's files are read before every answer, and real settings are far smaller. */
export const settingsBytes = 64 * 1024

/**
 * Reads a whole UTF-8 file unchanged, including byte order mark and line ends; anything else is a `DreyError`. `name` is how the message
 * calls the file, where users know it by a shorter path.
 */
export function readTextFile(path: string, options: { maxBytes?: number; name?: string } = {}): TextFile {
  const maxBytes = options.maxBytes ?? 64 * mebibyte
  const name = options.name ?? path
  const { bytes, stats } = readBytes(path, maxBytes, name)
  let digest: string | undefined
  return {
    path,
    text: decodeText(bytes, name),
    bytes: bytes.length,
    get sha256() {
      digest ??= hash("sha256", bytes) // most callers do not need it
      return digest
    },
    modifiedMs: stats.mtimeMs,
  }
}

/** Throws the sentence for anything that is not a regular file: reading or replacing a pipe or a device is never meant. */
export function requireRegularFile(path: string, stats: Stats): void {
  if (stats.isDirectory()) throw new DreyError(`${path} is a folder, not a file`)
  if (!stats.isFile()) throw new DreyError(`${path} is not a regular file`)
}

function readBytes(path: string, maxBytes: number, name: string): { bytes: Buffer; stats: Stats } {
  let handle: number | undefined
  try {
    handle = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK) // opening a pipe must not wait for its writer
    const stats = fstatSync(handle) // before the read: a change during it then shows as a later time
    requireRegularFile(name, stats)
    requireSize(name, stats.size, maxBytes)
    const bytes = readFileSync(handle)
    requireSize(name, bytes.length, maxBytes) // some files of the system claim to be empty
    return { bytes, stats }
  } catch (error) {
    throw fileError(name, error)
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}

function requireSize(path: string, bytes: number, maxBytes: number): void {
  if (bytes <= maxBytes) return
  const [unit, size] = maxBytes < mebibyte ? ["KiB", 1024] : ["MiB", mebibyte]
  const amount = (count: number) => `${Number((count / size).toPrecision(3))} ${unit}`
  throw new FileTooLarge(`${path} is too large: ${amount(bytes)}, and the limit is ${amount(maxBytes)}`)
}

/** A separate error for callers that can continue without the file. */
export class FileTooLarge extends DreyError {}

/** Bytes as text, under the same rules; for bytes that do not come from a file. */
export function decodeText(bytes: Buffer, name: string): string {
  if (isUtf16(bytes)) throw new DreyError(`${name} is UTF-16; save it as UTF-8`)
  const nul = bytes.indexOf(0)
  if (nul >= 0)
    throw new DreyError(`${name}:${lineAt(bytes, nul)} contains a NUL byte, so the file cannot be read as text`)
  if (!isUtf8(bytes)) throw new DreyError(`${name}:${firstBadLine(bytes)} is not valid UTF-8`)
  return bytes.toString("utf8") // keeps a byte order mark; a decoder that checks again takes far longer
}

function isUtf16(bytes: Buffer): boolean {
  return (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)
}

const lineFeed = 0x0a

function lineAt(bytes: Buffer, offset: number): number {
  let line = 1
  for (let at = bytes.indexOf(lineFeed); at >= 0 && at < offset; at = bytes.indexOf(lineFeed, at + 1)) line++
  return line
}

/** A line feed is never part of a longer character, so each line can be judged alone. */
function firstBadLine(bytes: Buffer): number {
  let line = 1
  let start = 0
  for (;;) {
    const end = bytes.indexOf(lineFeed, start)
    if (end < 0 || !isUtf8(bytes.subarray(start, end))) return line
    line++
    start = end + 1
  }
}

/** The content of a folder: empty if it is missing or not a folder, undefined if it cannot be opened. */
export function listFolder(path: string): Dirent[] | undefined {
  try {
    if (!statSync(path, { throwIfNoEntry: false })) return [] // many stores lack it, and to throw takes far longer than to look
    return readdirSync(path, { withFileTypes: true })
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return []
    if (fileError(path, error) instanceof DreyError) return undefined
    throw error
  }
}

/** The names in a folder, sorted; empty if it cannot be opened. */
export function namesIn(path: string): string[] {
  return (listFolder(path) ?? []).map(({ name }) => name).sort()
}

/** Turns Node's file error into a sentence with its path if the user can fix it; anything else is returned unchanged. */
export function fileError(path: string, error: unknown): unknown {
  const sentence = sentences[codeOf(error) ?? ""]
  return sentence === undefined ? error : new DreyError(`${path} ${sentence}`, { cause: error })
}

/** Node's error code, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined
}

const noPermission = "cannot be accessed: no permission"
const noSpace = "cannot be written: the disk is full"

const sentences: Record<string, string> = {
  EACCES: noPermission,
  EDQUOT: noSpace,
  EEXIST: "cannot be made: a part of its path is a file, not a folder",
  EFBIG: "cannot be written: the system allows no file that large",
  EISDIR: "is a folder, not a file",
  ELOOP: "is a symbolic link that leads back to itself",
  ENAMETOOLONG: "cannot be used: its name is too long",
  ENOENT: "does not exist",
  ENOSPC: noSpace,
  ENOTDIR: "cannot be found: a part of its path is a file, not a folder",
  ENXIO: "is not a regular file",
  EPERM: noPermission,
  EROFS: "cannot be written: the disk is read-only",
}
