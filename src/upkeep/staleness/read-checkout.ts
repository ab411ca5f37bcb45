import { readdirSync, realpathSync } from "node:fs"
import { join, relative } from "node:path"
import { askGit, askGitFields } from "./ask-git.ts"

/** The current files of a repository, committed or not. Paths have slashes and composed characters (NFC). */
export type Checkout = {
  /** The top of git's working tree, or the folder itself. */
  root: string
  /** The folder in it that paths are relative to: "" or `packages/app/`. */
  prefix: string
  /** Path → its name on disk, which may be normalized differently. */
  files: ReadonlyMap<string, string>
  folders: ReadonlySet<string>
  submodules: readonly string[]
  git: { head: string; isShallow: boolean } | undefined
}

export async function readCheckout(folder: string): Promise<Checkout> {
  const top = (await askGit(folder, ["rev-parse", "--show-toplevel"]))?.toString("utf8").replace(/\r?\n$/, "")
  if (top === undefined || top === "") return { ...namesOf(walk(folder)), root: folder, prefix: "", git: undefined }
  const [tracked, deleted, others, state] = await Promise.all([
    askGitFields(top, ["ls-files", "-z", "-s"]),
    askGitFields(top, ["ls-files", "-z", "-d"]),
    askGitFields(top, ["ls-files", "-z", "-o", "--exclude-standard"]),
    askGit(top, ["rev-parse", "--is-shallow-repository", "HEAD"]),
  ])
  const missing = new Set(deleted)
  const entries = tracked.map((line) => ({ mode: line.slice(0, 6), path: line.slice(line.indexOf("\t") + 1) }))
  const present = entries.filter(({ mode, path }) => mode !== linkToCommit && !missing.has(path))
  const [shallow, head] = state?.toString("utf8").trim().split("\n") ?? []
  return {
    ...namesOf([...present.map(({ path }) => path), ...others.filter((path) => !isMadeByTools(path))]),
    submodules: entries.filter(({ mode }) => mode === linkToCommit).map(({ path }) => path.normalize("NFC")),
    root: top,
    prefix: prefixOf(top, folder),
    git: head === undefined ? undefined : { head, isShallow: shallow === "true" },
  }
}

/** The mode of a submodule in git's listing. */
const linkToCommit = "160000"

function prefixOf(top: string, folder: string): string {
  const below = relative(realpathSync.native(top), realpathSync.native(folder)).replaceAll("\\", "/")
  return below === "" ? "" : `${below}/`
}

function namesOf(paths: readonly string[]): Pick<Checkout, "files" | "folders" | "submodules"> {
  const files = new Map(paths.map((path) => [path.normalize("NFC"), path]))
  const folders = new Set<string>()
  for (const path of files.keys())
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      const folder = path.slice(0, at)
      if (folders.has(folder)) break // its parents are known, too
      folders.add(folder)
    }
  return { files, folders, submodules: [] }
}

const mostFiles = 50_000
const madeByTools = new Set([".git", "node_modules", "dist", "build", "target", "vendor", ".venv", "venv", "obj"])

/** Includes untracked files that are not ignored; a nested repository is listed as a folder. */
function isMadeByTools(path: string): boolean {
  return path.endsWith("/") || path.split("/").some((part) => madeByTools.has(part))
}

/** Without git, everything but generated folders counts. */
function walk(folder: string): string[] {
  const found: string[] = []
  const waiting = [""]
  for (let below = waiting.pop(); below !== undefined && found.length < mostFiles; below = waiting.pop())
    for (const entry of listFolder(join(folder, below))) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`
      if (entry.isDirectory() && !madeByTools.has(entry.name)) waiting.push(path)
      else if (entry.isFile()) found.push(path)
    }
  return found
}

function listFolder(path: string) {
  try {
    return readdirSync(path, { withFileTypes: true })
  } catch {
    return [] // unreadable: its content counts as unknown, not as gone
  }
}
