import { existsSync } from "node:fs"
import { join, relative, resolve } from "node:path"
import { safePath } from "../disk/safe-paths.ts"
import { DreyError } from "../errors.ts"

const teamFolders = [".squad", ".ai-team"]

/**
 * The parent folder of all sessions; it need not exist yet. `configured` is the setting `sessions.root`, relative to the repository. The
 * default is `.rawko/sessions` if there is a `.rawko` folder, else `sessions` in the team folder.
 */
export function sessionsRoot(repositoryRoot: string, configured: string | undefined): string {
  const isThere = (name: string) => existsSync(join(repositoryRoot, name))
  const team = join(repositoryRoot, teamFolders.find(isThere) ?? ".squad")
  const usual = join(isThere(".rawko") ? join(repositoryRoot, ".rawko") : team, "sessions")
  const folder = configured === undefined ? usual : resolve(repositoryRoot, configured)
  const hint = "Set sessions.root to a folder inside the repository, or remove the setting."
  if (folder === repositoryRoot)
    throw new DreyError(`The sessions folder ${folder} is not inside the repository`, { hint })
  try {
    safePath(repositoryRoot, relative(repositoryRoot, folder), { within: team, name: folder }) // only the team folder may be a link
    return folder
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    throw new DreyError(`The sessions folder is not inside the repository: ${error.message}`, { hint })
  }
}
