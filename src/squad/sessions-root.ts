import { existsSync } from "node:fs"
import { join, relative, resolve } from "node:path"
import { safePath } from "../disk/safe-paths.ts"
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
  const hint = "Set sessions.root to a folder inside the repository, or leave the setting away."
  if (folder === repositoryRoot)
    throw new DreyError(`The folder of the sessions, ${folder}, is not a folder inside the repository`, { hint })
  try {
    safePath(repositoryRoot, relative(repositoryRoot, folder), { within: team, name: folder }) // the team folder alone may be a link
    return folder
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    throw new DreyError(`The folder of the sessions is not a folder inside the repository: ${error.message}`, { hint })
  }
}
