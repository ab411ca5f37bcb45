import { existsSync, readFileSync, realpathSync, statSync } from "node:fs"
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path"
import type { ProjectSettings } from "../config.ts"
import { sha256 } from "../disk/hash.ts"
import { one, type Steps } from "./steps.ts"

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

/** The normalized URL of this repository's remote; undefined without one. */
export function remoteOf(top: string): string | undefined {
  const common = commonFolder(top)
  const config = readIfAny(join(common, "config"))
  const remote = config === undefined ? undefined : remoteIn(config)
  return remote ? normalizeRemote(remote, basename(common) === ".git" ? dirname(common) : common) : undefined
}

/** The URL of `origin`, else of the first remote, in a `.git/config`; undefined without one. */
export function remoteIn(config: string): string | undefined {
  const remotes = new Map<string, string>()
  let remote: string | undefined
  for (const line of logicalLines(config)) {
    const header = /^\s*\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/.exec(line)
    if (header) remote = header[1]?.toLowerCase() === "remote" ? header[2]?.replace(/\\(.)/g, "$1") : undefined
    const setting = /^\s*([A-Za-z][\w-]*)\s*=\s*(.*)$/.exec(header ? line.slice(header[0].length) : line)
    if (remote === undefined || setting?.[1]?.toLowerCase() !== "url" || remotes.has(remote)) continue
    remotes.set(remote, plainValue(setting[2] ?? ""))
  }
  return remotes.get("origin") ?? [...remotes.values()][0]
}

/** A trailing backslash continues the line. */
function logicalLines(text: string): string[] {
  return text.replace(/\r\n/g, "\n").replace(/\\\n/g, "").split("\n")
}

/** Without quotes, escapes and comments. */
function plainValue(written: string): string {
  let value = ""
  let isQuoted = false
  for (let at = 0; at < written.length; at++) {
    const sign = written[at] as string
    if (sign === "\\") value += written[++at] ?? ""
    else if (sign === '"') isQuoted = !isQuoted
    else if (!isQuoted && (sign === "#" || sign === ";")) break
    else value += sign
  }
  return value.trim()
}

/**
 * One form for every way to write a repository's URL: `host/owner/repo`, without credentials, port and `.git`, the host
 * in lower case. A local path, which may be relative to `top`, stays a path.
 */
export function normalizeRemote(remote: string, top: string): string {
  const url = /^([a-z][a-z0-9+.-]*):\/\/(?:[^@/]*@)?(\[[^\]/]*\]|[^:/]*)(?::\d*)?(\/.*)?$/i.exec(remote)
  const scp = /^(?:[^@/:]*@)?(\[[^\]/]+\]|[^:/[]{2,}):(?!\/\/)(.*)$/.exec(remote) // a single letter would be a drive
  const [host = "", path = ""] = url ? [url[2], url[3]] : scp ? [scp[1], scp[2]] : []
  if (host !== "") return `${host.toLowerCase()}/${withoutEnds(path)}`
  return withoutEnds(resolve(top, url ? path : remote), "end")
}

function withoutEnds(path: string, ends: "both" | "end" = "both"): string {
  const short = path.replace(/\/{1,20}$/, "").replace(/\.git$/, "")
  return ends === "both" ? short.replace(/^\/{1,20}/, "") : short
}

/** The folder that all worktrees of a repository share; a worktree's `.git` is a file that points to it. */
function commonFolder(top: string): string {
  const entry = join(top, ".git")
  if (statSync(entry, { throwIfNoEntry: false })?.isDirectory()) return entry
  const own = /^gitdir: (.*)/.exec(readIfAny(entry) ?? "")?.[1]?.trim()
  if (own === undefined) return entry
  const folder = resolve(top, own)
  const shared = readIfAny(join(folder, "commondir"))?.trim()
  return shared ? resolve(folder, shared) : folder
}

/** An unreadable file is ignored: the repository is then identified by its path. */
function readIfAny(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}

/** The id a project is stored under; it differs from the given one after its remote has changed. */
export function* currentProjectId(project: string): Steps<string> {
  const row = yield* one<{ project_id: string }>("SELECT project_id FROM project_aliases WHERE alias = ?", project)
  return row?.project_id ?? project
}

/**
 * The id a checkout is stored under. An id that earlier versions read from the repository's settings is accepted only
 * if learned memory already knows this checkout by it, so no other clone can claim it.
 */
export function* projectOf(
  checkout: Pick<ProjectIdentity, "id" | "root"> & Partial<Pick<ProjectIdentity, "gitFolder" | "legacy">>,
): Steps<string> {
  const { id, root, gitFolder, legacy } = checkout
  if (legacy === undefined) return yield* currentProjectId(id)
  const kept = yield* currentProjectId(legacy)
  const row = yield* one<{ git_folder: string | null; root: string; other_roots: string }>(
    "SELECT git_folder, root, other_roots FROM projects WHERE project_id = ?",
    kept,
  )
  const others: string[] = JSON.parse(row?.other_roots ?? "[]")
  const isKnown = row?.root === root || others.includes(root)
  // Of several checkouts only the latest root is known; the user's settings define which belong together.
  const isSame = others.length === 0 && (row?.git_folder ?? undefined) === gitFolder
  return isKnown && isSame ? kept : yield* currentProjectId(id)
}

/** Changes whenever a memory visible to the project changes; 0 for an unknown project. */
export function* versionOfProject(project: string): Steps<number> {
  const id = yield* currentProjectId(project)
  const row = yield* one<{ version: number }>("SELECT version FROM projects WHERE project_id = ?", id)
  return row?.version ?? 0
}
