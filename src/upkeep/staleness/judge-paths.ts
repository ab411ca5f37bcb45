import { existsSync } from "node:fs"
import { join } from "node:path"
import { askGitFields } from "./ask-git.ts"
import { type Fate, findFates } from "./find-fates.ts"
import { measureChanges } from "./measure-changes.ts"
import type { Named } from "./name.ts"
import type { Checkout } from "./read-checkout.ts"
import { isMemory } from "./scan-words.ts"
import { dayOf, type History } from "./timeline.ts"
import { toldByItself, type Verdict } from "./verdict.ts"

type NamedPath = Named<"path">

/** Checks paths. A path git never knew is not gone: it may be planned, or be elsewhere. */
export async function judgePaths(
  checkout: Checkout,
  named: readonly NamedPath[],
  { timeline, keptAt }: History,
): Promise<Map<NamedPath, Verdict>> {
  const places = placeFinder(checkout)
  const present = named.map((each) => ({ ...each, named: each, place: places(each.name.path) }))
  const missing = present
    .filter(({ place }) => place.kind !== "exact")
    .flatMap(({ name }) => spellingsOf(checkout, name.path))
  const fates = await findFates(checkout, [...new Set(missing)], keptAt)
  const ignored = await ignoredAmong(checkout, missing)
  const verdicts = new Map<NamedPath, Verdict>()
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

type Judging = NamedPath & { place: Place; fate: Fate | undefined; isIgnored: boolean }

function judgePath(checkout: Checkout, { name, at, place, fate, isIgnored }: Judging): Verdict | undefined {
  if (place.kind === "exact") return { state: "valid" }
  const wasThere = fate !== undefined && (fate.at === undefined || at === undefined || fate.at * 1000 >= at)
  const isWhole = fate?.path === name.path || fate?.path === checkout.prefix + name.path
  if (place.kind === "ending" && !(isWhole && wasThere && fate?.to !== undefined)) return { state: "valid" }
  if (place.kind === "submodule") return { state: "unverifiable", reason: `it is in the submodule ${place.path}` }
  if (isIgnored) return { state: "unverifiable", reason: "git ignores it" }
  if (isMemory(fate?.path ?? name.path)) return { state: "unverifiable", reason: "the team folder moves its own files" }
  if (fate) {
    if (name.told) return toldByItself
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
