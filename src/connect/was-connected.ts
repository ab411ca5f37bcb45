import { realpathSync, statSync } from "node:fs"
import { join, sep } from "node:path"
import { readRecords, recordPath } from "./file-record.ts"

/**
 * Whether the user has connected a coding agent by files of this repository, and not of another that was at its path before: the record in
 * Drey's own folder must be younger than the repository. What was connected for all repositories says nothing about this one.
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
