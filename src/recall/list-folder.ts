import { type Dirent, readdirSync, statSync } from "node:fs"
import { codeOf, fileError } from "../disk/file-error.ts"

/** What is in a folder; one that is not there has nothing. */
export function listFolder(path: string): Dirent[] {
  try {
    if (!statSync(path, { throwIfNoEntry: false })) return [] // many stores lack it, and to throw takes far longer than to look
    return readdirSync(path, { withFileTypes: true })
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return []
    throw fileError(path, error)
  }
}
