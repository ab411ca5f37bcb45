import { existsSync, statSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { safePath } from "../disk/safe-paths.ts"
import { DreyError } from "../errors.ts"

/** A repository and its team folders: `.squad`, and the older `.ai-team` where it exists too. */
export type TeamStore = { root: string; home: string; folders: StoreFolder[] }

/** `home` is Drey's own folder, which holds the state of this one (see `stateFolder`). */
export type StoreFolder = NamedFolder & { home: string }

type NamedFolder = { name: ".squad" | ".ai-team"; path: string }

const folderNames = [".squad", ".ai-team"] as const

/** The repository around a folder; `home` is Drey's own folder. */
export function findStore(start: string, home: string): TeamStore {
  const { root, folders } = findTeamFolders(start)
  return { root, home, folders: folders.map((folder) => ({ ...folder, home })) }
}

/** The team folder, which need not exist yet. */
export function folderOf({ root, home, folders }: TeamStore): StoreFolder {
  return folders[0] ?? { name: ".squad", path: join(root, ".squad"), home }
}

/** Finds the nearest ancestor with a team folder or a git repository, or else the nearest one with sessions. */
export function findTeamFolders(start: string): { root: string; folders: NamedFolder[] } {
  const from = resolve(start)
  if (!existsSync(from)) throw new DreyError(`${from} does not exist`)
  let withSessions: string | undefined
  for (let folder = from; ; folder = dirname(folder)) {
    const folders = teamFolders(folder)
    if (folders.length > 0 || existsSync(join(folder, ".git"))) return { root: folder, folders }
    if (existsSync(join(folder, ".rawko"))) withSessions ??= folder
    if (dirname(folder) === folder) return { root: withSessions ?? from, folders: [] }
  }
}

/** For commands that need a team folder. */
export function requireStore(store: TeamStore): TeamStore {
  if (store.folders.length > 0) return store
  throw new DreyError(`${store.root} has no .squad folder`, {
    hint: "Run `drey init` to set one up, or pass --root DIR.",
  })
}

function teamFolders(folder: string): NamedFolder[] {
  return folderNames
    .map((name) => ({ name, path: join(folder, name) }))
    .filter(({ path }) => existsSync(path) && statSync(path).isDirectory())
}

/** The nearest ancestor that is a git repository; undefined if there is none. */
export function repositoryOf(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at
    if (dirname(at) === at) return undefined
  }
}

const teamFoldersRoot = [".squad", ".ai-team"]

/**
 * The parent folder of all sessions; it need not exist yet. `configured` is the setting `sessions.root`, relative to the repository. The
 * default is `.rawko/sessions` if there is a `.rawko` folder, else `sessions` in the team folder.
 */
export function sessionsRoot(repositoryRoot: string, configured: string | undefined): string {
  const isThere = (name: string) => existsSync(join(repositoryRoot, name))
  const team = join(repositoryRoot, teamFoldersRoot.find(isThere) ?? ".squad")
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
