import { closeSync, fsyncSync, openSync, renameSync } from "node:fs"
import { dirname } from "node:path"
import { codeOf, fileError } from "./file-error.ts"
import { announce } from "./file-operations.ts"

/** Gives a file another name on the same disk, taking the place of a file that has it; when it returns, the name is on disk. */
export function renameFileDurable(from: string, to: string): void {
  try {
    announce("rename", to)
    renameSync(from, to)
    syncFolder(dirname(to))
  } catch (error) {
    throw fileError(from, error)
  }
}

function syncFolder(folder: string): void {
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
