import { existsSync, realpathSync, statSync } from "node:fs"
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path"
import { sha256 } from "../disk/sha256.ts"
import { commonFolder, normalizeRemote, remoteOf } from "./git-remote.ts"

export type ProjectIdentity = {
  /** `p-<16 hex>`: the same for every checkout and worktree of a repository, another for each of its team folders. */
  id: string
  /** The nearest parent folder that has a team folder or is a repository. */
  root: string
  /** Distinguishes this repository from one that takes its place; undefined outside of a repository. */
  gitFolder: string | undefined
  /**
   * Which earlier project of this checkout becomes this one: any, if the user's settings allow it; else the one from
   * before it had a remote.
   */
  formerly: "any" | string | undefined
  /**
   * The id that earlier versions read from the repository's settings. Accepted only if learned memory knows this
   * checkout by it.
   */
  legacy: string | undefined
}

export type ProjectSettings = {
  /** From the user's own settings: an id, or a name shared by several projects. */
  id?: string | undefined
  /** The same for one root or one remote, also from the user's own settings. */
  places?: Readonly<Record<string, string>>
  /** The repository's name for itself. It comes with a clone, so it may only separate projects of one remote. */
  name?: string | undefined
}

/** The project a folder belongs to, by its files and these settings. */
export function projectIdOf(folder: string, settings: ProjectSettings = {}): ProjectIdentity {
  // A path of another system, as in an old transcript, is only a name here.
  const place = isAbsolute(folder) ? nearestFolder(folder) : undefined
  const root = place?.root ?? folder
  const git = place?.top === undefined ? undefined : readGit(place.top)
  const within = place?.top === undefined ? "" : relative(place.top, root).split(sep).join("/")
  const own = `folder:${git?.folder ?? root}` // so that it stays the same project when it becomes a repository
  const around = git?.remote === undefined ? own : `remote:${git.remote}`
  const chosen = chosenIn(settings, root, git?.remote)
  const name = settings.name ?? ""
  const isName = name !== "" && !isId(name)
  const legacy = name === "" || chosen !== undefined ? undefined : isName ? hashed(`named:${name}`) : name
  const id = hashed(isName ? `${around}\nnamed:${name}` : `${around}\n${within}`)
  const rest = { root, gitFolder: git?.mark }
  if (chosen === undefined)
    return { id, ...rest, formerly: around === own ? undefined : hashed(`${own}\n${within}`), legacy }
  return { id: isId(chosen) ? chosen : hashed(`named:${chosen}`), ...rest, formerly: "any", legacy }
}

function chosenIn({ id = "", places = {} }: ProjectSettings, root: string, remote: string | undefined) {
  const place = Object.keys(places).find(
    (key) => (isAbsolute(key) && realPathOf(key) === root) || key === remote || normalizeRemote(key, "/") === remote,
  )
  const chosen = place === undefined ? id : (places[place] ?? "")
  return chosen === "" ? undefined : chosen
}

function isId(text: string): boolean {
  return /^p-[0-9a-f]{16}$/.test(text)
}

function hashed(identity: string): string {
  return `p-${sha256(identity).slice(0, 16)}`
}

/** `top`: the folder of the surrounding repository. A deleted folder belongs to its nearest existing parent. */
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

/** `folder`: the repository's folder, shared by its worktrees. */
function readGit(top: string): { remote: string | undefined; folder: string; mark: string | undefined } {
  const common = commonFolder(top)
  const remote = remoteOf(top)
  const repository = basename(common) === ".git" ? dirname(common) : common
  const stats = statSync(common, { throwIfNoEntry: false })
  return {
    remote,
    folder: realPathOf(repository),
    mark: stats && `${stats.ino}-${Math.round(stats.birthtimeMs)}`,
  }
}
