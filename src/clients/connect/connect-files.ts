import { dirname, join } from "node:path"
import { removeFileDurable, removeFolderIfEmpty, writeFileAtomic } from "../../disk/atomic-write.ts"
import { withLock } from "../../disk/lock.ts"
import { DreyError } from "../../errors.ts"
import type { ConnectPlan } from "./connect-plan.ts"
import type { DisconnectPlan, FileRestoration } from "./disconnect-plan.ts"
import { type FileWrite, readBytes, targetOf } from "./file-plan.ts"
import {
  type FileRecord,
  missing,
  readRecords,
  recordsFolder,
  removeRecord,
  stateOf,
  writeRecord,
} from "./file-record.ts"

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
function lockPath(home: string): string {
  return join(recordsFolder(home), "lock")
}

function writeFile(home: string, path: string, writing: FileWrite, old: FileRecord | undefined): FileResult {
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
function removeEmptyFolders(folders: readonly string[]): void {
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

/**
 * Applies a plan file by file. A record is removed only after its file is restored, so a killed run can be repeated.
 */
export function applyDisconnect(home: string, plan: DisconnectPlan): Promise<FileResult[]> {
  return withLock(lockPath(home), () => {
    const done = plan.files.filter(({ change }) => change !== "left")
    const results = done.map((file) => restoreFile(home, file))
    removeEmptyFolders(done.flatMap(({ writing }) => writing.folders))
    return results
  })
}

function restoreFile(home: string, { path, writing }: FileRestoration): FileResult {
  try {
    const { target } = writing
    if (stateOf(readBytes(target)) !== writing.state)
      return { path, problem: "it changed while Drey was writing; try again" }
    if (writing.isWritten && writing.bytes === undefined)
      removeFileDurable(target) // a link stays a link
    else if (writing.isWritten && writing.bytes) writeFileAtomic(target, writing.bytes)
    if (writing.record) writeRecord(home, writing.record)
    else removeRecord(home, path)
    return { path }
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    return { path, problem: error.message } // the other files can still be restored
  }
}
