import { spawnSync } from "node:child_process"
import { join, resolve } from "node:path"

export function isInGit(root: string): boolean {
  return ask(root, ["rev-parse", "--is-inside-work-tree"])?.trim() === "true"
}

/** Those of the paths that git leaves out of commits; a file that is committed already is not among them. */
export function ignoredPaths(root: string, paths: readonly string[]): Set<string> {
  const answer = ask(root, ["check-ignore", "-z", "--stdin"], paths.join("\0"))
  return new Set((answer ?? "").split("\0").filter(Boolean))
}

/** Whether git would leave this one out of every commit. Without git there is nothing it could leave out. */
export function isIgnoredByGit(root: string, path: string): boolean {
  return ignoredPaths(root, [path]).size > 0
}

/** The value of git's `merge` attribute for each path: `drey`, `union`, `unspecified`. */
export function mergeAttributes(root: string, paths: readonly string[]): Map<string, string> {
  const fields = (ask(root, ["check-attr", "-z", "--stdin", "merge"], paths.join("\0")) ?? "").split("\0")
  const found = new Map<string, string>()
  for (let at = 0; at + 2 < fields.length; at += 3) found.set(fields[at] ?? "", fields[at + 2] ?? "")
  return found
}

export function gitSetting(root: string, name: string): string | undefined {
  return ask(root, ["config", "--get", name])?.trim() || undefined
}

/** The top of the working tree; undefined outside of one. */
export function topOf(root: string): string | undefined {
  return ask(root, ["rev-parse", "--show-toplevel"])?.trimEnd()
}

/** A file of the repository's git folder, which worktrees share; undefined outside a repository. */
export function gitPath(root: string, name: string): string | undefined {
  const folder = ask(root, ["rev-parse", "--git-common-dir"])?.trimEnd()
  return folder === undefined ? undefined : join(resolve(root, folder), name)
}

/** What git prints; undefined when it says no, or is not there. */
function ask(root: string, args: string[], input = ""): string | undefined {
  const { status, stdout } = spawnSync("git", args, { cwd: root, encoding: "utf8", input, maxBuffer: 64 * 1024 * 1024 })
  return status === 0 ? stdout : undefined
}
