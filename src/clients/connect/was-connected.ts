import { realpathSync, statSync } from "node:fs"
import { join, sep } from "node:path"
import { readRecords, recordPath } from "./file-record.ts"

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
