import { dirname, join } from "node:path"
import { withLock } from "../disk/lock.ts"
import { removeFolderIfEmpty, writeFileAtomic } from "../disk/write-file-atomic.ts"
import { DreyError } from "../errors.ts"
import {
  type FileRecord,
  missing,
  readRecords,
  recordsFolder,
  removeRecord,
  stateOf,
  writeRecord,
} from "./file-record.ts"
import type { ConnectPlan } from "./plan-connect.ts"
import { readBytes, targetOf, type Writing } from "./plan-file.ts"

/** The result for one file; `problem` is why it was not written. */
export type FileResult = { path: string; problem?: string }

/**
 * Applies a plan file by file; an error with one file does not affect the others. The record of a file is on disk
 * before the file is changed, so disconnecting can always restore it.
 */
export function applyConnect(home: string, plan: ConnectPlan): Promise<FileResult[]> {
  return withLock(lockPath(home), () => {
    const records = readRecords(home)
    return plan.files.flatMap((file) =>
      file.change === "left" || file.writing === undefined
        ? []
        : [writeFile(home, file.path, file.writing, records.get(file.path))],
    )
  })
}

/** Only one process at a time connects or disconnects for a user. */
export function lockPath(home: string): string {
  return join(recordsFolder(home), "lock")
}

function writeFile(home: string, path: string, writing: Writing, old: FileRecord | undefined): FileResult {
  try {
    const target = targetOf(path, writing.record.uses)
    if (stateOf(readBytes(target)) !== writing.state) return { path, problem: "it changed after the plan was made" }
    writeRecord(home, writing.record)
    if (writing.text === undefined) return { path }
    try {
      const replaces = writing.state === missing ? null : writing.state
      writeFileAtomic(target, writing.text, { replaces, ...(writing.mode === undefined ? {} : { mode: writing.mode }) })
    } catch (error) {
      if (old) writeRecord(home, old)
      else removeRecord(home, path)
      removeEmptyFolders(writing.record.folders)
      throw error
    }
    return { path }
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    return { path, problem: error.message } // the other files can still be written
  }
}

/** Removes those of these folders that are empty, the deepest first. */
export function removeEmptyFolders(folders: readonly string[]): void {
  const deepestFirst = [...new Set(folders)].sort((one, other) => other.length - one.length)
  for (const folder of deepestFirst) removeFolderIfEmpty(folder)
}

/** The folders above a path, up to but excluding this one. */
export function foldersBelow(top: string, path: string): string[] {
  const folders: string[] = []
  for (let folder = dirname(path); folder.startsWith(join(top, "/")) && folder !== top; folder = dirname(folder))
    folders.push(folder)
  return folders
}
