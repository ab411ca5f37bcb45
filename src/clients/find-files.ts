import { type Dirent, readdirSync, statSync } from "node:fs"
import { join } from "node:path"

/**
 * The files below a folder, at most `depth` levels deep, with an accepted name; oldest first. Unreadable folders are
 * skipped.
 */
export function findFiles(folder: string, depth: number, accepts: (name: string) => boolean): string[] {
  return oldestFirst(listFiles(folder, depth, accepts))
}

export function oldestFirst(paths: string[]): string[] {
  return paths
    .map((path) => ({ path, changed: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((one, other) => one.changed - other.changed || (one.path < other.path ? -1 : 1))
    .map(({ path }) => path)
}

function listFiles(folder: string, depth: number, accepts: (name: string) => boolean): string[] {
  return entriesOf(folder).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return depth > 1 ? listFiles(path, depth - 1, accepts) : []
    return entry.isFile() && accepts(entry.name) ? [path] : []
  })
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return [] // missing or not accessible: not every client is installed
  }
}
