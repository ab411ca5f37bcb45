import { randomUUID } from "node:crypto"
import { existsSync, statSync } from "node:fs"
import { resolve } from "node:path"
import { askGit, findRepository } from "./git.ts"

/** One commit of a checkout's history. */
export type HistoryCommit = {
  id: string
  parents: number
  author: string
  /** When it was written, in milliseconds; amending and rebasing keep it. */
  at: number
  message: string
  /** Changed files relative to the folder that was asked about, at most `mostFiles`; none for a merge. */
  files: string[]
}

const mostFiles = 200

/** A long history takes time, and no user waits for the result. */
const timeoutMs = 10 * 60_000

/** Where the history of a checkout ends; changes with it. Undefined without a repository, or without a commit. */
export async function historyHead(root: string): Promise<{ head: string; stamp: string } | undefined> {
  const printed = await askGit(root, ["rev-parse", "HEAD", "--git-path", "shallow"])
  const [head = "", path = ""] = (printed?.toString("utf8") ?? "").trim().split("\n")
  if (!/^[0-9a-f]{40,64}$/.test(head)) return undefined
  const top = findRepository(root)?.top ?? root
  const shallow = path === "" ? undefined : statSync(resolve(top, path), { throwIfNoEntry: false })
  return { head, stamp: shallow ? `${head} shallow ${shallow.mtimeMs}` : head }
}

/** The ids of the newest commits that a head has and `since` has not, newest first; undefined if git cannot tell. */
export async function listCommits(
  root: string,
  head: string,
  { since, most }: { since?: string; most: number },
): Promise<string[] | undefined> {
  if (since !== undefined && !(await askGit(root, ["merge-base", "--is-ancestor", since, head]))) return undefined
  const without = since === undefined ? [] : [`^${since}`]
  const printed = await askGit(root, ["rev-list", `--max-count=${most}`, head, ...without], { timeoutMs })
  return printed?.toString("latin1").split("\n").filter(Boolean)
}

/** How many commits a checkout has, at most `most`. */
export async function countCommits(root: string, most: number): Promise<number> {
  const printed = await askGit(root, ["rev-list", "--count", `--max-count=${most}`, "HEAD"], { timeoutMs })
  return Number(printed?.toString("latin1").trim() || 0)
}

/** Reads these commits, in this order; those that are gone are left out. Without their files it is faster. */
export async function readCommits(
  root: string,
  ids: readonly string[],
  { files = true }: { files?: boolean } = {},
): Promise<HistoryCommit[]> {
  if (ids.length === 0) return []
  const start = randomUUID() // a message cannot contain it, and so cannot pose as another commit
  const format = `--format=${start}%n%H%n%P%n%an%n%at%n%B%n${start} files`
  const args = [
    "log",
    "--no-walk=unsorted",
    "--ignore-missing",
    "--stdin",
    "-z",
    ...(files ? ["--name-only", "--no-renames"] : ["--no-patch"]),
    "--encoding=UTF-8",
    format,
  ]
  const printed = await askGit(root, args, { input: `${ids.join("\n")}\n`, timeoutMs })
  const { prefix = "", top = root } = findRepository(root) ?? {}
  const isShallow = existsSync(resolve(top, ".git", "shallow"))
  return (printed?.toString("utf8") ?? "")
    .split(`${start}\n`)
    .slice(1)
    .flatMap((record) => {
      const [text = "", names = ""] = record.split(`\n${start} files`)
      const [id = "", parents = "", author = "", at = "", ...message] = text.split("\n")
      if (!/^[0-9a-f]{40,64}$/.test(id)) return []
      const count = parents.split(" ").filter(Boolean).length
      const isBoundary = count === 0 && isShallow // git shows all files of the checkout as added
      return [
        {
          id,
          parents: count,
          author,
          at: Math.min(Number(at) * 1000, 8.64e15),
          message: message.join("\n").trim(),
          files: isBoundary ? [] : filesIn(names, prefix),
        },
      ]
    })
}

function filesIn(names: string, prefix: string): string[] {
  return names
    .split("\0")
    .map((name) => name.replace(/^\n+/, ""))
    .filter(Boolean)
    .slice(0, mostFiles)
    .map((name) => (name.startsWith(prefix) ? name.slice(prefix.length) : name))
}

/** Who else signed it says nothing about the change. */
export function withoutTrailers(message: string): string {
  return message.replace(/^(?:co-authored-by|signed-off-by|reviewed-by|acked-by|change-id|cc):.*$/gim, "").trim()
}

/** A commit of a program: a dependency update, a release. */
export function isByProgram(author: string, subject: string): boolean {
  return (
    /\[bot\]$|^(?:dependabot|renovate|github-actions|greenkeeper|snyk-bot|pre-commit-ci|semantic-release-bot|allcontributors)\b/i.test(
      author,
    ) || /^(?:\w+\(deps(?:-dev)?\)|bump) .{0,120}\bfrom\b.{0,60}\bto\b/i.test(subject)
  )
}

/** The commit that last changed a line; undefined for a line that is not committed, or not there. */
export async function blameLine(root: string, file: string, line: number): Promise<string | undefined> {
  const { prefix = "" } = findRepository(root) ?? {}
  const printed = await askGit(root, ["blame", "--porcelain", `-L${line},${line}`, "--", `${prefix}${file}`])
  const id = /^([0-9a-f]{40,64}) /.exec(printed?.toString("latin1") ?? "")?.[1]
  return id === undefined || /^0+$/.test(id) ? undefined : id
}
