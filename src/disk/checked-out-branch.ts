import { readFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"

const longest = 4096

/** The branch that is checked out around a folder, without starting git; undefined outside of git and on no branch. */
export function checkedOutBranch(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const head = readHead(at)
    if (head !== undefined) return /^ref: refs\/heads\/(\S{1,250})\s*$/.exec(head)?.[1]
    if (dirname(at) === at) return undefined
  }
}

/** A worktree's `.git` is a file that names the folder. */
function readHead(folder: string): string | undefined {
  const entry = join(folder, ".git")
  const inside = readSmall(join(entry, "HEAD"))
  if (inside !== undefined) return inside
  const target = /^gitdir: (.{1,1000}?)\s*$/.exec(readSmall(entry) ?? "")?.[1]
  return target === undefined ? undefined : readSmall(join(resolve(folder, target), "HEAD"))
}

function readSmall(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").slice(0, longest)
  } catch {
    return undefined // a folder, missing, or not readable: no branch is known
  }
}
