import { existsSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { DreyError } from "../errors.ts"

/** A repository and its team folders: `.squad`, and the older `.ai-team` where it exists too. */
export type Store = { root: string; folders: StoreFolder[] }
export type StoreFolder = { name: ".squad" | ".ai-team"; path: string }

const folderNames = [".squad", ".ai-team"] as const

/** Finds the nearest folder upwards that has a team folder, or is a git repository; where there is none, one that has sessions. */
export function findStore(start: string): Store {
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

/** The same, for commands that have nothing to do without a team folder. */
export function requireStore(store: Store): Store {
  if (store.folders.length > 0) return store
  throw new DreyError(`${store.root} has no .squad folder`, {
    hint: "Run the command inside a repository that has one, or name the repository with --root.",
  })
}

function teamFolders(folder: string): StoreFolder[] {
  return folderNames
    .map((name) => ({ name, path: join(folder, name) }))
    .filter(({ path }) => existsSync(path) && statSync(path).isDirectory())
}

/** The nearest folder upwards that git keeps; undefined where there is none. */
export function repositoryOf(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at
    if (dirname(at) === at) return undefined
  }
}
