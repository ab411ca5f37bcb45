import { type Checkout, isBinary, isMemory, isProse, wordFinder } from "./checkout.ts"
import { askGit, askGitFields, dayOf, type GitCommit, type GitTimeline, readBlobs } from "./git-history.ts"
import type { Runner } from "./names.ts"
import { isManifest, targetsIn } from "./script-targets.ts"

/** A missing name, and when it was written about, in milliseconds. */
export type Missing = { at: number } & Sought

/** The file that contained it then, and the day; undefined if it is not known to have existed. */
export type EarlierTrace = { path: string; day: string } | undefined

const day = 86_400_000
/** Work described today may be committed some days later. */
const laterBy = 3 * day
const mostCommits = 40
const limits = { mostBytes: 1024 * 1024, mostTogether: 64 * 1024 * 1024 }

/** Searches for missing names in the files as they were at the time, limited to files that have changed since. */
export async function readEarlier(
  checkout: Checkout,
  missing: readonly Missing[],
  timeline: GitTimeline,
): Promise<EarlierTrace[]> {
  if (!checkout.git || missing.length === 0) return missing.map(() => undefined)
  const commitAt = await timeline()
  const wantedAt = missing.map(({ at }) => [
    ...new Set([commitAt(at), commitAt(at + laterBy)].filter((each) => each !== undefined)),
  ])
  const commits = [...new Set(wantedAt.flat())].sort((one, other) => other.at - one.at).slice(0, mostCommits)
  const changed = await changedSince(checkout.root, commits)
  const words = new Set(missing.flatMap((each) => (each.kind === "word" ? [each.word] : [])))
  const held = await readOldFiles(checkout.root, [...changed.values()].flat(), words)
  const places = new Map([...changed].map(([commit, files]) => [commit, placesIn(files, held)]))
  return missing.map((each, index) => {
    for (const commit of wantedAt[index] ?? []) {
      const path = places.get(commit)?.get(keyOf(each))
      if (path !== undefined) return { path, day: dayOf(commit.at) }
    }
    return undefined
  })
}

type Sought = { kind: "word"; word: string } | { kind: "target"; runner: Runner; target: string }

function keyOf(sought: Sought): string {
  return sought.kind === "word" ? `word ${sought.word}` : `${sought.runner} ${sought.target}`
}

type OldFile = { path: string; blob: string }

/** The earlier versions of each commit's files that have changed or are gone now. */
async function changedSince(root: string, commits: readonly GitCommit[]): Promise<Map<GitCommit, OldFile[]>> {
  const raw = ["-r", "-z", "--raw", "--no-renames", "--no-abbrev"]
  const head = (await askGit(root, ["rev-parse", "HEAD^{tree}"]))?.toString("latin1").trim() ?? ""
  const pairs = commits.map(({ tree }) => `${tree} ${head}\n`)
  const committed = await askGitFields(root, ["diff-tree", "--stdin", ...raw], pairs.join(""))
  const notCommitted = oldFilesIn(await askGitFields(root, ["diff-index", ...raw, "HEAD"]))
  const found = new Map(commits.map((commit) => [commit.tree, [] as string[]]))
  let fields: string[] | undefined
  for (const field of committed) {
    const [heads = ""] = /^(?:[0-9a-f]{40,64} [0-9a-f]{40,64}\n)*/.exec(field) ?? []
    const [, tree] = /([0-9a-f]{40,64}) [0-9a-f]{40,64}\n$/.exec(heads) ?? []
    if (tree !== undefined) fields = found.get(tree)
    fields?.push(field.slice(heads.length))
  }
  return new Map(
    commits.map((commit) => {
      const files = oldFilesIn(found.get(commit.tree) ?? [])
      const known = new Set(files.map(({ path }) => path))
      const all = [...files, ...notCommitted.filter(({ path }) => !known.has(path))]
      return [commit, all.filter(({ path, blob }) => !isMemory(path) && !/^0+$/.test(blob))] // all zeros: it did not exist then
    }),
  )
}

function oldFilesIn(fields: readonly string[]): OldFile[] {
  return fields.flatMap((field, at) => {
    const blob = /^:\d{6} \d{6} ([0-9a-f]{40,64}) /.exec(field)?.[1]
    const path = fields[at + 1]
    return blob === undefined || path === undefined ? [] : [{ path, blob }]
  })
}

/** The searched names in each old file, by key. */
async function readOldFiles(
  root: string,
  files: readonly OldFile[],
  words: ReadonlySet<string>,
): Promise<Map<string, string[]>> {
  const held = new Map<string, string[]>()
  const find = wordFinder(words)
  const names = new Map(files.map(({ blob, path }) => [blob, path]))
  const wanted = files.filter(({ path }) => !isProse(path)).map(({ blob }) => blob)
  await readBlobs(root, wanted, limits, (blob, bytes) => {
    if (isBinary(bytes)) return
    const path = names.get(blob) ?? ""
    const found = new Set<string>()
    find(bytes, found)
    const { runner, names: targets } = isManifest(path)
      ? targetsIn(path, bytes.toString("utf8"))
      : { runner: "package" as const, names: undefined }
    held.set(blob, [
      ...[...found].map((word) => keyOf({ kind: "word", word })),
      ...(targets ?? []).map((target) => keyOf({ kind: "target", runner, target })),
    ])
  })
  return held
}

/** The first file that contains each name. */
function placesIn(files: readonly OldFile[], held: ReadonlyMap<string, string[]>): Map<string, string> {
  const places = new Map<string, string>()
  for (const { path, blob } of files)
    for (const key of held.get(blob) ?? []) if (!places.has(key)) places.set(key, path)
  return places
}
