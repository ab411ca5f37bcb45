import { readFileSync } from "node:fs"
import { writeFileAtomic } from "../../disk/write-file-atomic.ts"
import { askGit, askGitFields } from "./ask-git.ts"
import type { Checkout } from "./read-checkout.ts"

/** Deletions in git's log, newest first, as fields of its output. With a cached log only new commits are read. */
export async function readDeletionLog({ root, git }: Checkout, keptAt: string | undefined): Promise<string[]> {
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
