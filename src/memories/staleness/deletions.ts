import { readFileSync } from "node:fs"
import { writeFileAtomic } from "../../disk/atomic-write.ts"
import type { Checkout } from "./checkout.ts"
import { askGit, askGitFields } from "./git-history.ts"

/** What happened to a missing path: deleted, or renamed. `at` is in seconds; undefined: not committed. */
export type PathFate = { path: string; at: number | undefined; to: string | undefined }

/**
 * The fate of missing paths by git's history; a path git never knew has none. A path may lack its first folders.
 * Deletions come from one pass without file contents; renames are searched only in commits that deleted a requested
 * path.
 */
export async function findFates(
  checkout: Checkout,
  asked: readonly string[],
  keptAt: string | undefined,
): Promise<Map<string, PathFate>> {
  if (!checkout.git || asked.length === 0) return new Map()
  const { root } = checkout
  const deletions = await readDeletions(checkout, keptAt)
  const lost = matchDeletions(deletions, asked)
  const fates = new Map<string, PathFate>()
  let open = [...lost].map(([name, files]) => ({ name, files, hops: 0 }))
  const renames: Renames = new Map()
  while (open.length > 0) {
    const commits = open.flatMap(({ files }) => files.map((path) => deletions.get(path)?.commit ?? ""))
    await readRenames(root, commits, renames)
    const next: typeof open = []
    for (const { name, files, hops } of open) {
      const [path = ""] = files
      const { commit, at } = deletions.get(path) ?? { commit: "", at: undefined }
      const to = targetOf(name, files, renames.get(commit) ?? new Map())
      const known = fates.get(name)
      const isThere = to !== undefined && (checkout.files.has(to) || checkout.folders.has(to))
      fates.set(name, {
        path: known?.path ?? fullPathOf(name, path),
        at: known?.at ?? at,
        to: isThere ? to : undefined,
      })
      if (to !== undefined && !isThere && deletions.has(to) && hops < mostHops)
        next.push({ name, files: [to], hops: hops + 1 })
    }
    open = next
  }
  return fates
}

const mostHops = 8

/** Where a file went; for a folder, where most of its files went, if they kept their relative paths. */
function targetOf(name: string, files: readonly string[], renames: ReadonlyMap<string, string>): string | undefined {
  const [path = ""] = files
  const isFile = files.length === 1 && (path === name || path.endsWith(`/${name}`) || !path.startsWith(`${name}/`))
  if (isFile) return renames.get(path)
  const votes = new Map<string, number>()
  for (const file of files) {
    const to = renames.get(file)
    const rest = file.slice(name.length)
    if (to?.endsWith(rest)) {
      const folder = to.slice(0, -rest.length)
      votes.set(folder, (votes.get(folder) ?? 0) + 1)
    }
  }
  const [best] = [...votes].sort((one, other) => other[1] - one[1])
  return best && best[1] * 2 > files.length ? best[0] : undefined
}

function fullPathOf(name: string, file: string): string {
  return file === name || file.endsWith(`/${name}`) ? file : name
}

/** The commit that last deleted each path, newest first; deletions in the working tree have none. */
export type Deletions = Map<string, { commit: string; at: number | undefined }>

/** `keptAt` is the cache of HEAD's log. */
async function readDeletions(checkout: Checkout, keptAt: string | undefined): Promise<Deletions> {
  const args = ["diff", "--no-renames", "--diff-filter=D", "--name-only", "-z", "HEAD"]
  const uncommitted = await askGitFields(checkout.root, args)
  const deletions: Deletions = new Map(
    uncommitted.map((path) => [path.normalize("NFC"), { commit: "", at: undefined }]),
  )
  let commit = ""
  let at: number | undefined
  for (const field of await readDeletionLog(checkout, keptAt)) {
    const head = /^\n?\x01([0-9a-f]{40,64}) (\d+)/.exec(field)
    if (head) {
      commit = head[1] ?? ""
      at = Number(head[2])
    }
    const path = (head ? field.slice(head[0].length) : field).replace(/^\n/, "").normalize("NFC")
    if (path !== "" && !deletions.has(path)) deletions.set(path, { commit, at }) // newest first
  }
  return deletions
}

/**
 * The deleted files that a name matches: the path itself, else the newest path ending in it, else the files of that
 * folder.
 */
function matchDeletions(deletions: Deletions, asked: readonly string[]): Map<string, string[]> {
  const wanted = new Set(asked)
  const lost = new Map<string, string[]>()
  const ending = new Map<string, string>()
  const inside = new Map<string, string[]>()
  for (const path of deletions.keys()) {
    if (wanted.has(path)) lost.set(path, [path])
    for (let at = path.indexOf("/"); at > 0; at = path.indexOf("/", at + 1)) {
      const end = path.slice(at + 1)
      if (wanted.has(end) && !ending.has(end)) ending.set(end, path)
      const folder = path.slice(0, at)
      if (!wanted.has(folder)) continue
      const files = inside.get(folder)
      if (files) files.push(path)
      else inside.set(folder, [path])
    }
  }
  for (const name of asked) {
    if (lost.has(name)) continue
    const file = ending.get(name)
    const files = inside.get(name)
    if (files) lost.set(name, lastOf(files, deletions))
    else if (file !== undefined) lost.set(name, [file])
  }
  return lost
}

/** A folder was deleted by the commit that removed its last file. */
function lastOf(files: readonly string[], deletions: Deletions): string[] {
  const last = deletions.get(files[0] ?? "")?.commit
  return files.filter((path) => deletions.get(path)?.commit === last)
}

/** Deletions in git's log, newest first, as fields of its output. With a cached log only new commits are read. */
async function readDeletionLog({ root, git }: Checkout, keptAt: string | undefined): Promise<string[]> {
  if (!git) return []
  const kept = keptAt === undefined ? undefined : readKept(keptAt)
  if (kept?.head === git.head && kept.isShallow === git.isShallow) return kept.fields
  const isOlder = kept?.isShallow === git.isShallow && (await isAncestor(root, kept.head))
  const range = isOlder ? [`${kept.head}..HEAD`] : ["HEAD"]
  const fields = [...(await askLog(root, range)), ...(isOlder ? kept.fields : [])]
  if (keptAt !== undefined) {
    const first = `${format} ${git.head} ${git.isShallow}`
    writeFileAtomic(keptAt, [first, ...fields].join("\0"), { mode: 0o600, derived: true })
  }
  return fields
}

const format = "drey-deletions-1"

function askLog(root: string, range: readonly string[]): Promise<string[]> {
  const args = ["--no-renames", "--diff-filter=D", "--name-only", "-z", "--format=%x01%H %ct"]
  return askGitFields(root, ["log", ...args, ...range, "--"])
}

async function isAncestor(root: string, commit: string): Promise<boolean> {
  return (await askGit(root, ["merge-base", "--is-ancestor", commit, "HEAD"])) !== undefined
}

function readKept(path: string): { head: string; isShallow: boolean; fields: string[] } | undefined {
  try {
    const [first = "", ...fields] = readFileSync(path, "utf8").split("\0")
    const [, head, shallow] = new RegExp(`^${format} ([0-9a-f]{40,64}) (true|false)$`).exec(first) ?? []
    return head === undefined ? undefined : { head, isShallow: shallow === "true", fields }
  } catch {
    return undefined // not cached yet, or unreadable: git is asked again
  }
}

/** The renames of each commit, from old to new; the working tree is the commit "". */
type Renames = Map<string, Map<string, string>>

/** Adds the renames of these commits, detected by content similarity. */
async function readRenames(root: string, commits: readonly string[], known: Renames): Promise<void> {
  const wanted = [...new Set(commits)].filter((commit) => !known.has(commit))
  for (const commit of wanted) known.set(commit, new Map())
  if (wanted.includes("")) {
    const args = ["diff", "-M", "--diff-filter=R", "--name-status", "-z", "HEAD"]
    takeRenames(await askGitFields(root, args), known, "")
  }
  const committed = wanted.filter(Boolean)
  if (committed.length === 0) return
  const args = ["diff-tree", "--stdin", "-r", "-M", "--diff-filter=R", "--name-status", "-z"]
  const printed = (await askGit(root, args, `${committed.join("\n")}\n`))?.toString("utf8") ?? ""
  takeRenames(printed.split("\0").filter(Boolean), known, "")
}

function takeRenames(fields: readonly string[], known: Renames, before: string): void {
  let commit = before
  for (let at = 0; at < fields.length; at++) {
    const field = (fields[at] ?? "").trim()
    if (/^[0-9a-f]{40,64}$/.test(field)) commit = field
    else if (/^R\d{3}$/.test(field)) {
      const [from = "", to = ""] = fields.slice(at + 1, at + 3)
      known.get(commit)?.set(from.normalize("NFC"), to.normalize("NFC"))
      at += 2
    }
  }
}
