import { existsSync } from "node:fs"
import { basename, join, resolve } from "node:path"
import { findRepository, runGit } from "../../disk/git.ts"
import { DreyError } from "../../errors.ts"
import type { ReadContext } from "../../formats/entries.ts"
import { temporaryRunner } from "../../formats/shell-command.ts"
import { timestampFromDate } from "../../formats/timestamp.ts"

export function isInGit(root: string): boolean {
  return ask(root, ["rev-parse", "--is-inside-work-tree"])?.trim() === "true"
}

/** The paths that git ignores; committed files are never among them. */
export function ignoredPaths(root: string, paths: readonly string[]): Set<string> {
  const prefix = prefixOf(root)
  const answer = ask(root, ["check-ignore", "-z", "--stdin"], paths.map((path) => prefix + path).join("\0"))
  const found = (answer ?? "").split("\0").filter(Boolean)
  return new Set(found.map((path) => path.slice(prefix.length)))
}

/** Whether git ignores this path; false without git. */
export function isIgnoredByGit(root: string, path: string): boolean {
  return ignoredPaths(root, [path]).size > 0
}

/** The value of git's `merge` attribute for each path: `drey`, `union`, `unspecified`. */
export function mergeAttributes(root: string, paths: readonly string[]): Map<string, string> {
  const prefix = prefixOf(root)
  const answer = ask(root, ["check-attr", "-z", "--stdin", "merge"], paths.map((path) => prefix + path).join("\0"))
  const fields = (answer ?? "").split("\0")
  const found = new Map<string, string>()
  for (let at = 0; at + 2 < fields.length; at += 3)
    found.set((fields[at] ?? "").slice(prefix.length), fields[at + 2] ?? "")
  return found
}

/** Whether git tracks this file. */
export function isTracked(folder: string, path: string): boolean {
  return (ask(folder, ["ls-files", "-z", "--", prefixOf(folder) + path]) ?? "") !== ""
}

export function gitSetting(root: string, name: string): string | undefined {
  return ask(root, ["config", "--get", name])?.trim() || undefined
}

/** Writes or removes a setting of this clone. Throws if git cannot write its config. */
export function setGitSetting(root: string, name: string, value: string | undefined): void {
  const args = value === undefined ? ["--unset-all", name] : ["--replace-all", name, value]
  ask(root, ["config", "--local", ...args])
  if (ownGitSetting(root, name) === value) return
  throw new DreyError(`git could not change ${name} in the repository's config`, {
    hint: 'Check that the .git folder is writable and has no leftover "config.lock".',
  })
}

/** A setting of this clone, ignoring global and system settings. */
export function ownGitSetting(root: string, name: string): string | undefined {
  return ask(root, ["config", "--local", "--get", name])?.trimEnd()
}

/** The top of the working tree; undefined outside of one. */
export function topOf(root: string): string | undefined {
  return isInGit(root) ? findRepository(root)?.top : undefined
}

/** A file of the repository's git folder, which worktrees share; undefined outside a repository. */
export function gitPath(root: string, name: string): string | undefined {
  const top = topOf(root)
  const folder = top === undefined ? undefined : ask(top, ["rev-parse", "--git-common-dir"])?.trimEnd()
  return top === undefined || folder === undefined ? undefined : join(resolve(top, folder), name)
}

/** Files in the git folder of a working tree while an operation is in progress there. */
const operations = {
  "index.lock": "a command",
  MERGE_HEAD: "a merge",
  "rebase-merge": "a rebase",
  "rebase-apply": "a rebase",
  CHERRY_PICK_HEAD: "a cherry-pick",
  REVERT_HEAD: "a revert",
  BISECT_LOG: "a bisect",
}

/** What git has in progress in this working tree; undefined when nothing, or outside of a repository. */
export function gitOperation(root: string): string | undefined {
  if (!findRepository(root)) return undefined
  const folder = ask(root, ["rev-parse", "--absolute-git-dir"])?.trimEnd()
  if (folder === undefined) return "an unknown state"
  return Object.entries(operations).find(([name]) => existsSync(join(folder, name)))?.[1]
}

function prefixOf(root: string): string {
  return findRepository(root)?.prefix ?? ""
}

function ask(root: string, args: string[], input = ""): string | undefined {
  return runGit(root, args, { input })?.toString("utf8")
}

type Commit = { author: string; seconds: number }

/** The author and time of the last change of each line of a file; undefined if the file is not in git or git is missing. */
export function blameOf(folder: string, path: string): ReadContext["blame"] {
  const fromTop = `${findRepository(folder)?.prefix ?? ""}${path}`
  const output = runGit(folder, ["blame", "--porcelain", "--", fromTop])?.toString("utf8")
  if (output === undefined) return undefined
  const commits = new Map<string, Commit>()
  const byLine: (Commit | undefined)[] = []
  let current: Commit | undefined
  let line = 0
  for (const text of output.split("\n")) {
    const head = /^([0-9a-f]{40,64}) \d+ (\d+)/.exec(text)
    if (head?.[1]) {
      line = Number(head[2])
      current = commits.get(head[1]) ?? { author: "", seconds: 0 }
      commits.set(head[1], current)
    } else if (current && text.startsWith("author ")) current.author = text.slice("author ".length)
    else if (current && text.startsWith("author-time ")) current.seconds = Number(text.slice("author-time ".length))
    else if (text.startsWith("\t")) byLine[line] = current
  }
  return (asked) => {
    const commit = byLine[asked]
    if (!commit || commit.author === "" || commit.author === "Not Committed Yet") return undefined
    return { timestamp: timestampFromDate(new Date(commit.seconds * 1000)), author: commit.author }
  }
}

/**
 * The paths of Node and of the running Drey's script; undefined if another program uses Drey as a library, or if it is a temporary copy
 * (npx): stored commands must not refer to one.
 */
export function runningDrey(): [node: string, script: string] | undefined {
  const script = process.argv[1]
  const isDrey = script !== undefined && /^(?:drey|cli\.c?js)$/.test(basename(script))
  return isDrey && temporaryRunner(resolve(script)) === undefined ? [process.execPath, resolve(script)] : undefined
}
