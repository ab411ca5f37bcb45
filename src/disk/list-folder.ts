import { type Dirent, readdirSync, statSync } from "node:fs"
import { DreyError } from "../errors.ts"
import { codeOf, fileError } from "./file-error.ts"

/** What is in a folder: nothing when it is missing or is not a folder, undefined when it cannot be opened. */
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

/** The names in a folder, sorted; one that cannot be opened has none. */
export function namesIn(path: string): string[] {
  return (listFolder(path) ?? []).map(({ name }) => name).sort()
}
