import { existsSync, readdirSync, realpathSync, statSync } from "node:fs"
import { join, sep } from "node:path"
import { removeFileDurable, writePrivateFile } from "../../disk/atomic-write.ts"
import { sha256 } from "../../disk/hash.ts"
import { parseJson } from "../../disk/json.ts"
import { readTextFile } from "../../disk/text-files.ts"
import { isRecord } from "../../formats/objects.ts"
import type { WiredClientId } from "../client-wiring.ts"
import type { FilePiece } from "./pieces.ts"

/** What one client has in one file, and for which repository; null means all repositories. */
export type FileUse = { client: WiredClientId; root: string | null; purpose: string; pieces: FilePiece[] }

/** The record of a file that Drey has changed: enough to restore it. */
export type FileRecord = {
  version: 1
  path: string
  /** The bytes before Drey's first change, base64; null if the file did not exist. */
  original: string | null
  /** Hashes of the file with only the original and Drey's pieces: before the last change, and after it. */
  states: string[]
  /** Folders created for it. */
  folders: string[]
  uses: FileUse[]
}

/** Every record by the path of its file. Unreadable records are skipped; their files count as unrecorded. */
export function readRecords(home: string): Map<string, FileRecord> {
  const folder = recordsFolder(home)
  const records = new Map<string, FileRecord>()
  for (const name of existsSync(folder) ? readdirSync(folder).sort() : []) {
    const record = /^[0-9a-f]{16}\.json$/.test(name) ? readRecord(join(folder, name)) : undefined
    if (record) records.set(record.path, record)
  }
  return records
}

/** On disk before the file itself is changed, and private: settings of clients may contain secrets. */
export function writeRecord(home: string, record: FileRecord): void {
  writePrivateFile(recordPath(home, record.path), `${JSON.stringify(record, null, 1)}\n`)
}

export function removeRecord(home: string, path: string): void {
  removeFileDurable(recordPath(home, path))
}

export function recordsFolder(home: string): string {
  return join(home, "connect")
}

/** The state of a file: the hash of its bytes, or `missing`. */
export function stateOf(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? missing : sha256(bytes)
}

export const missing = "missing"

export function originalOf(record: FileRecord): Buffer | undefined {
  return record.original === null ? undefined : Buffer.from(record.original, "base64")
}

function recordPath(home: string, path: string): string {
  return join(recordsFolder(home), `${sha256(path).slice(0, 16)}.json`)
}

function readRecord(path: string): FileRecord | undefined {
  try {
    const value = parseJson(readTextFile(path).text, path)
    return isFileRecord(value) ? value : undefined
  } catch {
    return undefined // damaged: Drey's entries are found by their marks instead
  }
}

function isFileRecord(value: unknown): value is FileRecord {
  return (
    isRecord(value) &&
    value.version === 1 &&
    typeof value.path === "string" &&
    (value.original === null || typeof value.original === "string") &&
    [value.states, value.folders, value.uses].every(Array.isArray)
  )
}

/**
 * Whether the user has connected a coding agent through files of this repository, and not of an earlier one at the same
 * path: the record in Drey's home must be newer than the repository. A connection for all repositories does not count.
 */
export function wasConnected(home: string, root: string, top: string | undefined): boolean {
  const real = realpathSync.native(root)
  const isHere = (path: string | null) => path !== null && (path === root || path === real)
  const git = top === undefined ? undefined : statSync(join(top, ".git"), { throwIfNoEntry: false })
  return [...readRecords(home).values()].some(({ path, uses }) => {
    const isInside = [root, real].some((each) => path.startsWith(each + sep))
    if (!isInside || !uses.some((use) => isHere(use.root))) return false
    const written = statSync(recordPath(home, path), { throwIfNoEntry: false })
    return written !== undefined && (git === undefined || git.birthtimeMs <= written.mtimeMs)
  })
}
