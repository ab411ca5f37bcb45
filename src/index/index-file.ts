import { existsSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { makeFolder } from "../disk/atomic-write.ts"
import { makeEmptyFile, makePrivate, removeFromHome, renameInHome } from "../disk/home-files.ts"
import { withLock } from "../disk/lock.ts"
import { type Database, isDamaged, openDatabase } from "../disk/sqlite.ts"
import { fileError } from "../disk/text-files.ts"
import { applicationId, openUsableIndex, schema, schemaVersion, tuneConnection } from "./index-schema.ts"

export type OpenIndexFile = {
  database: Database
  /** Identifies this file, to detect that another took its place. */
  inode: bigint
  /** The new name of an unusable file. */
  setAside: string | undefined
}

/**
 * Opens or creates an index; a file that is damaged, another program's or of another version is moved aside, never
 * deleted.
 */
export async function openIndexFile(path: string, options: { damagedInode?: bigint } = {}): Promise<OpenIndexFile> {
  const usable = () => {
    if (!existsSync(path) || inodeOf(path) === options.damagedInode) return undefined
    const database = openUsableIndex(path)
    return database && { database, inode: inodeOf(path), setAside: undefined }
  }
  const ready = usable()
  if (ready) return ready
  makeIndexFolder(dirname(path))
  return withLock(`${path}.lock`, () => {
    const meanwhile = usable()
    if (meanwhile) return meanwhile
    const setAside = existsSync(path) && statSync(path).size > 0 ? setFileAside(path) : undefined
    return { database: createIndex(path), inode: inodeOf(path), setAside }
  })
}

function inodeOf(path: string): bigint {
  return statSync(path, { bigint: true }).ino
}

function makeIndexFolder(folder: string): void {
  try {
    makeFolder(folder, 0o700)
  } catch (error) {
    throw fileError(folder, error)
  }
}

function setFileAside(path: string): string {
  let number = 1
  while (existsSync(`${path}.aside-${number}`)) number++
  const aside = `${path}.aside-${number}`
  try {
    for (const part of ["", "-wal"]) if (existsSync(path + part)) renameInHome(path + part, aside + part)
    removeFromHome(`${path}-shm`)
  } catch (error) {
    throw fileError(path, error)
  }
  return aside
}

/** Private: the index contains agents' own notes. */
function createIndex(path: string): Database {
  try {
    makeEmptyFile(path)
    makePrivate(path)
  } catch (error) {
    throw fileError(path, error)
  }
  const database = openDatabase(path, { timeoutMs: 10_000 })
  try {
    database.exec("PRAGMA page_size = 8192; PRAGMA journal_mode = WAL")
    database.transaction("immediate", () => {
      database.exec(schema)
      database.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${schemaVersion}`)
    })
    return tuneConnection(database)
  } catch (error) {
    database.close()
    throw error
  }
}

/** True for an error that means that Drey did not write this index, whether or not SQLite can read it. */
export function isUnusable(error: unknown): boolean {
  if (isDamaged(error)) return true
  return error instanceof Error && (isOfOtherTables(error) || isOfBrokenJson(error))
}

function isOfOtherTables({ message }: Error): boolean {
  return /^(?:no such (?:table|column)\b|table \w+ has no column\b|vtable constructor failed\b)/.test(message)
}

function isOfBrokenJson(error: Error): boolean {
  return error instanceof SyntaxError && error.message.includes("JSON")
}
