import { askGitFields } from "./ask-git.ts"
import { readDeletionLog } from "./deletion-log.ts"
import type { Checkout } from "./read-checkout.ts"

/** The commit that last deleted each path, newest first; deletions in the working tree have none. */
export type Deletions = Map<string, { commit: string; at: number | undefined }>

/** `keptAt` is the cache of HEAD's log. */
export async function readDeletions(checkout: Checkout, keptAt: string | undefined): Promise<Deletions> {
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
export function matchDeletions(deletions: Deletions, asked: readonly string[]): Map<string, string[]> {
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
