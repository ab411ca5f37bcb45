import { existsSync, realpathSync, statSync } from "node:fs"
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path"
import { sha256 } from "../disk/sha256.ts"
import { commonFolder, remoteOf } from "./git-remote.ts"

export type ProjectIdentity = {
  /** `p-<16 hex>`: the same for every checkout and worktree of a repository, another for each of its team folders. */
  id: string
  /** The nearest folder upwards that has a team folder or is a repository. */
  root: string
  /** Tells this repository from one that takes its place; undefined where there is no repository. */
  gitFolder: string | undefined
}

/** Which project a folder belongs to, by the files in it alone; `override` is what its configuration says. */
export function projectIdOf(folder: string, options: { override?: string | undefined } = {}): ProjectIdentity {
  // A path of another system, as an old transcript may name it, is only a name here.
  const place = isAbsolute(folder) ? nearestFolder(folder) : undefined
  const root = place?.root ?? folder
  const git = place?.top === undefined ? undefined : readGit(place.top)
  const within = place?.top === undefined ? "" : relative(place.top, root).split(sep).join("/")
  const identity = git?.identity ?? `folder:${root}` // so that it stays the same project when it becomes a repository
  return { id: idOf(options.override ?? "", `${identity}\n${within}`), root, gitFolder: git?.mark }
}

function idOf(override: string, identity: string): string {
  if (/^p-[0-9a-f]{16}$/.test(override)) return override
  return `p-${sha256(override === "" ? identity : `named:${override}`).slice(0, 16)}`
}

/** `top`: the folder of the repository around it. What is no longer there belongs to what was around it. */
function nearestFolder(folder: string): { root: string; top: string | undefined } {
  const start = realPathOf(folder)
  let root: string | undefined
  for (let at = start; ; at = dirname(at)) {
    const isTop = existsSync(join(at, ".git"))
    if (isTop || [".squad", ".ai-team"].some((name) => existsSync(join(at, name)))) root ??= at
    if (isTop) return { root: root ?? at, top: at }
    if (dirname(at) === at) return { root: root ?? start, top: undefined }
  }
}

function realPathOf(folder: string): string {
  if (existsSync(folder)) return realpathSync(folder)
  const above = dirname(folder)
  return above === folder ? folder : join(realPathOf(above), basename(folder))
}

function readGit(top: string): { identity: string; mark: string | undefined } {
  const common = commonFolder(top)
  const remote = remoteOf(top)
  const repository = basename(common) === ".git" ? dirname(common) : common
  const identity = remote ? `remote:${remote}` : `folder:${realPathOf(repository)}`
  const stats = statSync(common, { throwIfNoEntry: false })
  return { identity, mark: stats && `${stats.ino}-${Math.round(stats.birthtimeMs)}` }
}
