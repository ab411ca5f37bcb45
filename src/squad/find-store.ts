import { existsSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { DreyError } from "../errors.ts"

/** A repository and its team folders: `.squad`, and the older `.ai-team` where it exists too. */
export type Store = { root: string; home: string; folders: StoreFolder[] }

/** `home` is Drey's own folder, which holds the state of this one (see `stateFolder`). */
export type StoreFolder = TeamFolder & { home: string }

type TeamFolder = { name: ".squad" | ".ai-team"; path: string }

const folderNames = [".squad", ".ai-team"] as const

/** The repository around a folder; `home` is Drey's own folder. */
export function findStore(start: string, home: string): Store {
  const { root, folders } = findTeamFolders(start)
  return { root, home, folders: folders.map((folder) => ({ ...folder, home })) }
}

/** The team folder, which need not exist yet. */
export function folderOf({ root, home, folders }: Store): StoreFolder {
  return folders[0] ?? { name: ".squad", path: join(root, ".squad"), home }
}

/** Finds the nearest ancestor with a team folder or a git repository, or else the nearest one with sessions. */
export function findTeamFolders(start: string): { root: string; folders: TeamFolder[] } {
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
export function requireStore(store: Store): Store {
  if (store.folders.length > 0) return store
  throw new DreyError(`${store.root} has no .squad folder`, {
    hint: "Run `drey init` to set one up, or pass --root DIR.",
  })
}

function teamFolders(folder: string): TeamFolder[] {
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
