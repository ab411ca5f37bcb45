import type { Entry } from "../../formats/entry.ts"
import { bodyHash } from "../../formats/entry-id.ts"
import { normalizeEntry } from "../../formats/normalize-entry.ts"
import { collapseWhiteSpace } from "../../formats/source-text.ts"
import { instantOf, type Timestamp } from "../../formats/timestamp.ts"
import type { PlacedEntry } from "../tidy/work.ts"
import { type Proposal, pinned } from "./read-inbox.ts"

/** Where a proposal goes. `id` is the entry's id from now on. */
export type Placement =
  | { kind: "new"; id: string; entry: Entry }
  | { kind: "copy"; id: string; path: string | undefined; authors: string[] }

/**
 * Decides for each proposal whether the team already has it. The same id with the same text, or the same title and text among
 * the current decisions, is a copy. The same id with another text is another entry and gets its own id.
 */
export function placeProposals(
  proposals: readonly Proposal[],
  settled: readonly PlacedEntry[],
  now: Date,
): Placement[] {
  return proposalPlacer(settled, now)(proposals)
}

/** Places several proposals, each as if it were the only one. */
export function proposalPlacer(
  settled: readonly PlacedEntry[],
  now: Date,
): (proposals: readonly Proposal[]) => Placement[] {
  const decided = settled.filter(({ path }) => /^decisions/i.test(path))
  const byId = new Map(decided.map((entry) => [entry.id, { entry: entry.entry, path: entry.path }]))
  const standing = new Map<string, { id: string; path: string | undefined }>()
  for (const { id, entry, path } of decided) if (!/archive/i.test(path)) standing.set(textKey(entry), { id, path })
  const times = new Set(settled.map(({ entry }) => instantOf(entry.timestamp)))

  return (proposals) => {
    const addedTexts = new Map<string, { id: string; path: undefined }>()
    const addedTimes = new Set<number>()
    const added = new Map<string, { entry: Entry }>()
    return proposals.map(({ id, entry }): Placement => {
      const authors = [entry.author, ...entry.contributors]
      const namesake = byId.get(id) ?? added.get(id)
      if (namesake && sameBody(namesake.entry, entry)) return { kind: "copy", id, path: byId.get(id)?.path, authors }
      const twin = addedTexts.get(textKey(entry)) ?? standing.get(textKey(entry))
      if (twin) return { kind: "copy", id: twin.id, path: twin.path, authors }
      const ownId = namesake ? `${id}-${bodyHash(normalizeEntry(entry)).slice(0, 4)}` : id
      if (namesake && (byId.has(ownId) || added.has(ownId)))
        return { kind: "copy", id: ownId, path: byId.get(ownId)?.path, authors }
      const timestamp = freeSecond(entry.timestamp, (instant) => times.has(instant) || addedTimes.has(instant), now)
      const placed = timestamp === undefined ? { ...entry, id: ownId } : pinned({ ...entry, timestamp }, ownId)
      addedTimes.add(instantOf(placed.timestamp))
      added.set(ownId, { entry: placed })
      addedTexts.set(textKey(placed), { id: ownId, path: undefined })
      return { kind: "new", id: ownId, entry: placed }
    })
  }
}

/** Adds the authors of copies to new entries. Authors of copies of existing entries are added to their files elsewhere. */
export function uniteContributors(placements: readonly Placement[]): Extract<Placement, { kind: "new" }>[] {
  const added = placements.filter((placement) => placement.kind === "new")
  return added.map((placement) => {
    const copies = placements.filter((other) => other.kind === "copy" && other.id === placement.id)
    const names = copies.flatMap((copy) => (copy.kind === "copy" ? copy.authors : []))
    const { entry } = placement
    const contributors = missingNames(entry, names)
    return contributors.length === 0
      ? placement
      : { ...placement, entry: { ...entry, contributors: [...entry.contributors, ...contributors] } }
  })
}

/** The names that are neither author nor contributors of the entry. */
export function missingNames(entry: Entry, names: readonly string[]): string[] {
  const known = new Set([entry.author, ...entry.contributors, "unknown"].map((name) => name.toLowerCase()))
  return names.filter((name) => {
    const isNew = !known.has(name.toLowerCase())
    known.add(name.toLowerCase())
    return isNew
  })
}

function sameBody(one: Entry, other: Entry): boolean {
  return bodyHash(normalizeEntry(one)) === bodyHash(normalizeEntry(other))
}

function textKey(entry: Entry): string {
  const title = collapseWhiteSpace(entry.title.normalize("NFC")).toLowerCase()
  return `${entry.type}\n${title}\n${bodyHash(normalizeEntry(entry))}`
}

const aheadMs = 60_000

/** Moves forward second by second until the time is unique, but never into the future. */
function freeSecond(timestamp: Timestamp, isTaken: (instant: number) => boolean, now: Date): Timestamp | undefined {
  let instant = instantOf(timestamp)
  if (!isTaken(instant)) return timestamp
  while (isTaken(instant)) instant += 1000
  if (instant > now.getTime() + aheadMs) return undefined
  const offset = timestamp.slice(-6)
  const minutes = (Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4))) * (offset.startsWith("-") ? -1 : 1)
  return new Date(instant + minutes * 60_000).toISOString().slice(0, 19) + offset
}
