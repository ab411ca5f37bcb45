import { existsSync, realpathSync } from "node:fs"
import { dirname, join, resolve, sep } from "node:path"
import { DreyError } from "../errors.ts"

const teamFolders = [".squad", ".ai-team"]

/**
 * The folder that holds a folder for every session; it need not exist yet. `configured` is the setting `sessions.root`, relative to the
 * repository; without it `.rawko/sessions` where there is a `.rawko` folder, else `sessions` in the team folder.
 */
export function sessionsRoot(repositoryRoot: string, configured: string | undefined): string {
  const isThere = (name: string) => existsSync(join(repositoryRoot, name))
  const team = join(repositoryRoot, teamFolders.find(isThere) ?? ".squad")
  const usual = join(isThere(".rawko") ? join(repositoryRoot, ".rawko") : team, "sessions")
  const folder = configured === undefined ? usual : resolve(repositoryRoot, configured)
  const isOwn = folder !== repositoryRoot && isBelow(folder, repositoryRoot)
  if (isOwn && [repositoryRoot, team].some((allowed) => isBelow(realPathOf(folder), realPathOf(allowed)))) return folder
  // What anybody can commit must not make Drey read or write elsewhere on the machine; the team folder alone may be a link.
  throw new DreyError(`The folder of the sessions, ${folder}, is not a folder inside the repository`, {
    hint: "Set sessions.root to a folder inside the repository, or leave the setting away.",
  })
}

/** Where a path leads, or the nearest folder above it that is there. */
function realPathOf(path: string): string {
  for (let at = path; ; at = dirname(at)) if (existsSync(at) || dirname(at) === at) return realpathSync.native(at)
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}
