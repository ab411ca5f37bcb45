import type { Candidate } from "../index/index-store.ts"
import { isSequence } from "./rank-signals.ts"
import { rankWeights } from "./rank-weights.ts"

export type Scored = { candidate: Candidate; score: number; relevance: number }

/**
 * Lets every candidate stand before those it replaces: it takes over the best of their scores, and what they mattered, where its own is lower.
 * A link decides whatever the scores; without one the newer of two whose titles are about the same thing, when it is nearly as relevant.
 * The order is by score, then what replaces more, then the newest, then the id.
 */
export function orderBySuccession<Item extends Scored>(scored: readonly Item[]): Item[] {
  const sorted = [...scored].sort(byScoreThenNewest)
  const places = sorted.map((item) => ({ item: { ...item }, generation: 0 }))
  passOn([...findLinks(sorted), ...findUpdates(sorted)], places)
  return places
    .sort((one, other) => other.item.score - one.item.score || other.generation - one.generation)
    .map(({ item }) => item)
}

/** A candidate's place in the sorted list, and the place of what it replaces. */
type Replacement = [newer: number, older: number]

type Place = { item: Scored; generation: number }

/** Hands on from older to newer over any number of steps, and counts the steps. */
function passOn(replacements: Replacement[], places: Place[]): void {
  let changed = replacements.length > 0
  for (let pass = 0; changed && pass < mostGenerations; pass++) {
    changed = false
    for (const replacement of replacements) {
      const newer = places[replacement[0]] as Place
      const older = places[replacement[1]] as Place
      const generation = Math.max(newer.generation, older.generation + 1)
      const score = Math.max(newer.item.score, older.item.score)
      const relevance = Math.max(newer.item.relevance, older.item.relevance)
      if (generation === newer.generation && score === newer.item.score && relevance === newer.item.relevance) continue
      newer.generation = generation
      newer.item.score = score
      newer.item.relevance = relevance
      changed = true
    }
  }
}

const mostGenerations = 64 // links that run in a circle would never come to rest

function findLinks(sorted: readonly Scored[]): Replacement[] {
  if (sorted.every(({ candidate }) => candidate.supersededBy.length === 0)) return []
  const places = new Map(sorted.map(({ candidate }, at) => [candidate.id, at]))
  return sorted.flatMap(({ candidate }, older) =>
    candidate.supersededBy.flatMap((id): Replacement[] => {
      const newer = places.get(id)
      return newer === undefined || newer === older ? [] : [[newer, older]]
    }),
  )
}

/** So far down an outdated item would still be seen. */
const depth = 30

/** Among the first, what has the title of something older. */
function findUpdates(sorted: readonly Scored[]): Replacement[] {
  const first = sorted.slice(0, depth).map(withTitle)
  return first.flatMap((newer, at) =>
    first.flatMap((older, place): Replacement[] => (isUpdate(newer, older) ? [[at, place]] : [])),
  )
}

/** `title` gathers its words when they are first compared. */
type Titled = Scored & { title(): Set<number> }

function withTitle(item: Scored): Titled {
  let words: Set<number> | undefined
  return {
    ...item,
    title() {
      words ??= item.candidate.titleWords()
      return words
    },
  }
}

/**
 * Whether the first is active, newer than the second, about the same thing by its title, and nearly as relevant. How much less relevant it
 * may be depends on how sure the rest is: the same title, or words that say it amends something. Links have the last word.
 */
function isUpdate(newer: Titled, older: Titled): boolean {
  if (!isNewer(newer, older) || newer.candidate.supersededBy.length > 0) return false
  if (isSequence(newer.candidate.source) || isSequence(older.candidate.source)) return false
  const rules = rankWeights.updates.filter(
    (rule) =>
      (!rule.amends || newer.candidate.amends) &&
      newer.score >= rule.score * older.score &&
      newer.candidate.coverage >= older.candidate.coverage - rule.coverage,
  )
  if (rules.length === 0) return false // most pairs: what follows takes time
  const titles = shareOf(newer.title(), older.title())
  return rules.some((rule) => titles >= rule.titles)
}

function isNewer(one: Scored, other: Scored): boolean {
  return one.candidate.at !== undefined && other.candidate.at !== undefined && one.candidate.at > other.candidate.at
}

function shareOf(one: Set<number>, other: Set<number>): number {
  let shared = 0
  for (const word of one) if (other.has(word)) shared++
  const all = one.size + other.size - shared
  return all === 0 ? 0 : shared / all
}

function byScoreThenNewest(one: Scored, other: Scored): number {
  const newest = (other.candidate.at ?? 0) - (one.candidate.at ?? 0)
  return other.score - one.score || newest || (one.candidate.id < other.candidate.id ? -1 : 1)
}
