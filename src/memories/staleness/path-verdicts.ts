import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { type Checkout, isMemory } from "./checkout.ts"
import { findFates, type PathFate } from "./deletions.ts"
import { askGitFields, blobIdsOf, dayOf, type GitHistory, type GitTimeline, readBlobs } from "./git-history.ts"
import { announcedChange, type NameVerdict } from "./name-verdict.ts"
import type { DatedName } from "./names.ts"

type NamedPath = DatedName<"path">

/** Checks paths. A path git never knew is not gone: it may be planned, or be elsewhere. */
export async function judgePaths(
  checkout: Checkout,
  named: readonly NamedPath[],
  { timeline, keptAt }: GitHistory,
): Promise<Map<NamedPath, NameVerdict>> {
  const places = placeFinder(checkout)
  const present = named.map((each) => ({ ...each, named: each, place: places(each.name.path) }))
  const missing = present
    .filter(({ place }) => place.kind !== "exact")
    .flatMap(({ name }) => spellingsOf(checkout, name.path))
  const fates = await findFates(checkout, [...new Set(missing)], keptAt)
  const ignored = await ignoredAmong(checkout, missing)
  const verdicts = new Map<NamedPath, NameVerdict>()
  for (const { named: each, name, at, place } of present) {
    const fate = spellingsOf(checkout, name.path)
      .map((path) => fates.get(path))
      .find(Boolean)
    const isIgnored = spellingsOf(checkout, name.path).some((path) => ignored.has(path))
    const verdict = judgePath(checkout, { name, at, place, fate, isIgnored })
    if (verdict) verdicts.set(each, verdict)
  }
  const files = present.flatMap(({ named: each, at, place }) =>
    place.kind === "exact" && place.file !== undefined && at !== undefined ? [{ each, path: place.file, at }] : [],
  )
  for (const [index, change] of (await measureChanges(checkout, files, timeline)).entries()) {
    const file = files[index]
    if (file && change) verdicts.set(file.each, { state: "changed", ...change })
  }
  return verdicts
}

type Judging = NamedPath & { place: Place; fate: PathFate | undefined; isIgnored: boolean }

function judgePath(checkout: Checkout, { name, at, place, fate, isIgnored }: Judging): NameVerdict | undefined {
  if (place.kind === "exact") return { state: "valid" }
  const wasThere = fate !== undefined && (fate.at === undefined || at === undefined || fate.at * 1000 >= at)
  const isWhole = fate?.path === name.path || fate?.path === checkout.prefix + name.path
  if (place.kind === "ending" && !(isWhole && wasThere && fate?.to !== undefined)) return { state: "valid" }
  if (place.kind === "submodule") return { state: "unverifiable", reason: `it is in the submodule ${place.path}` }
  if (isIgnored) return { state: "unverifiable", reason: "git ignores it" }
  if (isMemory(fate?.path ?? name.path)) return { state: "unverifiable", reason: "the team folder moves its own files" }
  if (fate) {
    if (name.told) return announcedChange
    const day = fate.at === undefined ? undefined : dayOf(fate.at)
    if (fate.to !== undefined && (isWhole || wasThere)) return { state: "moved", to: fate.to, day }
    if (wasThere && (isWhole || at !== undefined)) return { state: "gone", day }
    return { state: "unverifiable", reason: `an earlier file of this name was gone before this was written` }
  }
  return name.isSure ? { state: "unverifiable", reason: unknownTo(checkout) } : undefined
}

function unknownTo({ git }: Checkout): string {
  if (!git) return "there is no git history"
  return git.isShallow ? "this clone has only part of the history" : "git has never had it"
}

/** A path may be relative to the folder with the team folder, or to the top of the repository. */
function spellingsOf({ prefix }: Checkout, path: string): string[] {
  const composed = path.normalize("NFC")
  return prefix === "" ? [composed] : [prefix + composed, composed]
}

/** `ending`: files or folders whose path ends in it exist. */
type Place =
  | { kind: "exact"; file: string | undefined }
  | { kind: "ending" }
  | { kind: "submodule"; path: string }
  | { kind: "none" }

function placeFinder(checkout: Checkout): (path: string) => Place {
  const { root, files, folders, submodules } = checkout
  const endings = new Map<string, string[]>()
  for (const path of [...files.keys(), ...folders]) {
    const last = path.slice(path.lastIndexOf("/") + 1)
    const known = endings.get(last)
    if (known) known.push(path)
    else endings.set(last, [path])
  }
  return (path) => {
    const spellings = spellingsOf(checkout, path)
    const file = spellings.find((each) => files.has(each))
    if (file !== undefined) return { kind: "exact", file }
    if (spellings.some((each) => folders.has(each) || existsSync(join(root, each))))
      return { kind: "exact", file: undefined }
    const outer = submodules.find((each) => spellings.some((spelling) => spelling.startsWith(`${each}/`)))
    if (outer !== undefined) return { kind: "submodule", path: outer }
    const composed = path.normalize("NFC")
    const alike = endings.get(composed.slice(composed.lastIndexOf("/") + 1)) ?? []
    return alike.some((each) => each.endsWith(`/${composed}`)) ? { kind: "ending" } : { kind: "none" }
  }
}

async function ignoredAmong({ root, git }: Checkout, paths: readonly string[]): Promise<Set<string>> {
  if (!git || paths.length === 0) return new Set()
  return new Set(await askGitFields(root, ["check-ignore", "-z", "--no-index", "--stdin"], paths.join("\0")))
}

/** How much of a file is left since it was written about: `kept` of its `lines`, not counting blank ones. */
export type FileRewrite = { kept: number; lines: number; day: string }

const limits = { mostBytes: 512 * 1024, mostTogether: 64 * 1024 * 1024 }
const fewestLines = 10
const mostKept = 0.5

/** How each file has changed since a time in milliseconds; undefined if it has not changed much, or that is unknown. */
async function measureChanges(
  checkout: Checkout,
  asked: readonly { path: string; at: number }[],
  timeline: GitTimeline,
): Promise<(FileRewrite | undefined)[]> {
  if (!checkout.git || asked.length === 0) return asked.map(() => undefined)
  const { root, files } = checkout
  const commitAt = await timeline()
  const commits = asked.map(({ at }) => commitAt(at))
  const names = asked.map(({ path }) => files.get(path) ?? path)
  const then = await blobIdsOf(
    root,
    names.map((name, index) => `${commits[index]?.id ?? "HEAD"}:${name}`),
  )
  const head = await blobIdsOf(
    root,
    names.map((name) => `HEAD:${name}`),
  )
  const isChanged = (index: number) => then[index] !== undefined && then[index] !== head[index]
  const old = new Map<string, string[]>()
  const wanted = then.filter((blob, index) => blob !== undefined && isChanged(index)) as string[]
  await readBlobs(root, wanted, limits, (blob, bytes) => old.set(blob, linesOf(bytes)))
  const now = new Map<string, Map<string, number>>()
  const changes: (FileRewrite | undefined)[] = []
  for (const [index, name] of names.entries()) {
    const lines = isChanged(index) ? old.get(then[index] ?? "") : undefined
    if (!lines || lines.length < fewestLines) {
      changes.push(undefined)
      continue
    }
    const current = now.get(name) ?? countLines(await readLines(join(root, name)))
    now.set(name, current)
    const kept = countKept(lines, current)
    const day = dayOf(commits[index]?.at ?? 0)
    changes.push(kept / lines.length < mostKept ? { kept, lines: lines.length, day } : undefined)
  }
  return changes
}

async function readLines(path: string): Promise<string[]> {
  try {
    return linesOf(await readFile(path))
  } catch {
    return [] // deleted since it was listed
  }
}

function linesOf(bytes: Buffer): string[] {
  return bytes
    .toString("utf8")
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)
}

function countLines(lines: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1)
  return counts
}

function countKept(lines: readonly string[], current: ReadonlyMap<string, number>): number {
  let kept = 0
  for (const [line, times] of countLines(lines)) kept += Math.min(times, current.get(line) ?? 0)
  return kept
}
