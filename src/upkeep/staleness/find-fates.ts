import type { Checkout } from "./read-checkout.ts"
import { matchDeletions, readDeletions } from "./read-deletions.ts"
import { type Renames, readRenames } from "./read-renames.ts"

/** What happened to a missing path: deleted, or renamed. `at` is in seconds; undefined: not committed. */
export type Fate = { path: string; at: number | undefined; to: string | undefined }

/**
 * The fate of missing paths by git's history; a path git never knew has none. A path may lack its first folders.
 * Deletions come from one pass without file contents; renames are searched only in commits that deleted a requested
 * path.
 */
export async function findFates(
  checkout: Checkout,
  asked: readonly string[],
  keptAt: string | undefined,
): Promise<Map<string, Fate>> {
  if (!checkout.git || asked.length === 0) return new Map()
  const { root } = checkout
  const deletions = await readDeletions(checkout, keptAt)
  const lost = matchDeletions(deletions, asked)
  const fates = new Map<string, Fate>()
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
