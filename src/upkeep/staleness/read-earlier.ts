import { askGit, askGitFields } from "./ask-git.ts"
import type { Runner } from "./name.ts"
import { readBlobs } from "./read-blobs.ts"
import type { Checkout } from "./read-checkout.ts"
import { isManifest, targetsIn } from "./read-targets.ts"
import { isBinary, isMemory, isProse, wordFinder } from "./scan-words.ts"

/** Something that is not there now, and the time at which somebody wrote about it, in milliseconds. */
export type Missing = { at: number } & (
  | { kind: "word"; word: string }
  | { kind: "target"; runner: Runner; target: string }
)

/** The file that held it then, and the day; undefined where it is not known to have been there. */
export type Trace = { path: string; day: string } | undefined

const day = 86_400_000
/** What is written down today may be committed some days later. */
const laterBy = 3 * day
const mostCommits = 40
const limits = { mostBytes: 1024 * 1024, mostTogether: 64 * 1024 * 1024 }

/** Looks for what is missing in the files as they were when it was written about: in those alone that are different now. */
export async function readEarlier(checkout: Checkout, missing: readonly Missing[]): Promise<Trace[]> {
  if (!checkout.git || missing.length === 0) return missing.map(() => undefined)
  const commitAt = await openTimeline(checkout.root)
  const wantedAt = missing.map(({ at }) => [
    ...new Set([commitAt(at), commitAt(at + laterBy)].filter((each) => each !== undefined)),
  ])
  const commits = [...new Set(wantedAt.flat())].sort((one, other) => other.at - one.at).slice(0, mostCommits)
  const changed = new Map<Commit, OldFile[]>()
  for (const commit of commits) changed.set(commit, await changedSince(checkout.root, commit))
  const words = new Set(missing.flatMap((each) => (each.kind === "word" ? [each.word] : [])))
  const held = await readOldFiles(checkout.root, [...changed.values()].flat(), words)
  return missing.map((each, index) => {
    for (const commit of wantedAt[index] ?? []) {
      const file = changed.get(commit)?.find(({ path, blob }) => held.get(blob)?.(each, path))
      if (file) return { path: file.path, day: new Date(commit.at * 1000).toISOString().slice(0, 10) }
    }
    return undefined
  })
}

export type Commit = { id: string; at: number }

/** Tells the commit that was the newest of the main line at a time; undefined before the first. */
export async function openTimeline(root: string): Promise<(ms: number) => Commit | undefined> {
  const printed = await askGit(root, ["log", "--first-parent", "--format=%H %ct", "-n", "50000", "HEAD"])
  const commits = (printed?.toString("latin1") ?? "")
    .split("\n")
    .filter(Boolean)
    .map((line) => ({ id: line.slice(0, line.indexOf(" ")), at: Number(line.slice(line.indexOf(" ") + 1)) }))
  return (ms) => commits.find(({ at }) => at * 1000 <= ms)
}

type OldFile = { path: string; blob: string }

/** The files of a commit that look different now, or are gone, as they were. */
async function changedSince(root: string, { id }: Commit): Promise<OldFile[]> {
  const args = ["diff-index", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--diff-filter=DMT", id]
  const fields = await askGitFields(root, args)
  return fields.flatMap((field, at) => {
    const blob = /^:\d{6} \d{6} ([0-9a-f]{40,64}) /.exec(field)?.[1]
    const path = fields[at + 1]
    return blob === undefined || path === undefined || isMemory(path) ? [] : [{ path, blob }]
  })
}

type Holds = (missing: Missing, path: string) => boolean

async function readOldFiles(
  root: string,
  files: readonly OldFile[],
  words: ReadonlySet<string>,
): Promise<Map<string, Holds>> {
  const held = new Map<string, Holds>()
  const find = wordFinder(words)
  const names = new Map(files.map(({ blob, path }) => [blob, path]))
  const wanted = files.filter(({ path }) => !isProse(path)).map(({ blob }) => blob)
  await readBlobs(root, wanted, limits, (blob, bytes) => {
    if (isBinary(bytes)) return
    const path = names.get(blob) ?? ""
    const found = new Set<string>()
    find(bytes, found)
    const manifest = isManifest(path) ? targetsIn(path, bytes.toString("utf8")) : undefined
    if (found.size > 0 || manifest)
      held.set(blob, (missing) =>
        missing.kind === "word"
          ? found.has(missing.word)
          : manifest?.runner === missing.runner && manifest.names?.includes(missing.target) === true,
      )
  })
  return held
}
