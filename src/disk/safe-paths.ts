import { existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs"
import { basename, dirname, isAbsolute, join, relative, resolve, sep, win32 } from "node:path"
import { DreyError } from "../errors.ts"
import { codeOf, fileError } from "./text-files.ts"

/**
 * Decides whether a path may be read, written or deleted, and returns its target with every link resolved. `path` is relative to `root`.
 * Refused are absolute paths, `..`, git's own folder at any depth, dangling links, and links out of `root` and of `within`: committed
 * content must not make Drey touch anything else on the machine.
 */
export function safePath(root: string, path: string, options: { within?: string; name?: string } = {}): string {
  const name = options.name ?? join(root, path)
  requireRelative(path, name)
  const real = realPathOf(join(root, path), name)
  const top = [root, options.within].find((each) => each !== undefined && isBelow(real, realPathOf(each, each)))
  if (top === undefined)
    throw new DreyError(`${name} leads out of the repository through a link, so it is not followed`, {
      hint: "Put the file itself there, or link to one inside this repository.",
    })
  if (partsOf(relative(realPathOf(top, top), real)).some(isGitName)) throw inGitFolder(name)
  return real
}

/** The same for a file of a team folder, which may be a link to another file of the repository. */
export function requireInRepository(folder: { path: string }, path: string, name = join(folder.path, path)): string {
  return safePath(folder.path, path, { within: repositoryOf(folder.path), name })
}

/** Throws when the team folder itself is a link into git's own folder. */
export function requireTeamFolder({ path }: { path: string }): void {
  const top = realPathOf(repositoryOf(path), path)
  const real = realPathOf(path, path)
  if (isBelow(real, top) && partsOf(relative(top, real)).some(isGitName)) throw inGitFolder(path)
}

/**
 * Where a file that the user named leads. Links outside of the repository are the user's own (settings are often kept so)
 * and are followed; those inside come with a clone, and must not lead out of it.
 */
export function safeTarget(repository: string | undefined, path: string): string {
  const absolute = resolve(path)
  const below = repository === undefined ? ".." : relative(repository, absolute)
  const isOutside = repository === undefined || isAbsolute(below) || partsOf(below)[0] === ".."
  return isOutside ? followLinks(absolute) : safePath(repository, below, { name: absolute })
}

/** Throws unless a path stays below the folder that it is relative to, by its words alone. */
export function requireRelative(path: string, name = path): void {
  const parts = partsOf(path)
  const leadsOut = isAbsolute(path) || win32.isAbsolute(path) || parts.includes("..") || /^[a-z]:/i.test(parts[0] ?? "")
  if (leadsOut || path.includes("\0"))
    throw new DreyError(`${name} does not stay below its folder, so it is not used`, {
      hint: 'Write a relative path without "..".',
    })
  if (parts.some(isGitName)) throw inGitFolder(name)
}

/** Whether a name means git's folder on any system: letter case, Windows' short names, trailing dots and streams do not matter. */
export function isGitName(part: string): boolean {
  const name = plainName(part)
  return name === ".git" || /^git~\d+$/.test(name)
}

/** The same for the folder in which Drey keeps its locks. */
export function isDreyName(part: string): boolean {
  const name = plainName(part)
  return name === ".drey" || /^drey~\d+$/.test(name)
}

/** How the file systems of Windows and macOS interpret a name. */
function plainName(part: string): string {
  return part
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replace(/:.*$/s, "")
    .replace(/[. ]+$/, "")
    .toLowerCase()
}

export function partsOf(path: string): string[] {
  return path.split(/[\\/]+/).filter((part) => part !== "" && part !== ".")
}

/** The target of a link, even if the file does not exist yet; any other path is returned unchanged. */
function followLinks(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw fileError(path, error)
  }
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return path
  return followLinks(resolve(realpathSync(dirname(path)), readlinkSync(path)))
}

/** With all links resolved as far as the path exists; the rest may still have to be created. */
function realPathOf(path: string, name: string): string {
  const missing: string[] = []
  for (let at = resolve(path); ; at = dirname(at)) {
    try {
      return join(realpathSync.native(at), ...missing)
    } catch (error) {
      missing.unshift(basename(at))
      if (codeOf(error) === "ENOTDIR") continue
      if (codeOf(error) !== "ENOENT") throw fileError(name, error)
    }
    if (lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new DreyError(`${name} is behind a link to nothing`, { hint: "Fix the link, or remove it." })
  }
}

/** The root of the git repository, if there is one above; otherwise the parent of the team folder. */
function repositoryOf(teamFolder: string): string {
  const parent = dirname(teamFolder)
  for (let at = parent; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at
    if (dirname(at) === at) return parent
  }
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

function inGitFolder(name: string): DreyError {
  return new DreyError(`${name} is in git's own folder, which Drey does not touch`, {
    hint: "Use another name; .git belongs to git alone.",
  })
}
