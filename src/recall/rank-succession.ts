import type { Candidate } from "../index/index-store.ts"
import { tokenize } from "../index/tokenize.ts"
import { isSequence } from "./rank-signals.ts"
import { rankWeights } from "./rank-weights.ts"

export type Scored = { candidate: Candidate; score: number }

/** What is older than others on the same matter, by link or by likeness: `replaces` holds the places of what a candidate stands before. */
type Succession = { replaces: Set<number>[] }

/**
 * Lets every candidate stand before those it replaces: it takes over the best of their scores where its own is lower.
 * A link decides whatever the scores; without one the newer of two that are about the same thing, when it bears on the request nearly as much.
 * The order is by score, then what replaces more, then the newest, then the id.
 */
export function orderBySuccession<Item extends Scored>(scored: readonly Item[]): Item[] {
  const sorted = [...scored].sort(byScoreThenNewest)
  const succession = findSuccession(sorted)
  const effective = sorted.map((_, at) => bestReplaced(sorted, succession, at, new Set()))
  const generation = sorted.map((_, at) => generationOf(succession, at, new Set()))
  return sorted
    .map((item, at) => ({ item: { ...item, score: effective[at] as number }, at }))
    .sort((one, other) => {
      const byScore = other.item.score - one.item.score
      return byScore || (generation[other.at] as number) - (generation[one.at] as number) || one.at - other.at
    })
    .map(({ item }) => item)
}

function findSuccession(sorted: readonly Scored[]): Succession {
  const replaces = sorted.map(() => new Set<number>())
  const places = new Map(sorted.map(({ candidate }, at) => [candidate.id, at]))
  sorted.forEach(({ candidate }, older) => {
    for (const id of candidate.supersededBy) {
      const newer = places.get(id)
      if (newer !== undefined && newer !== older) replaces[newer]?.add(older)
    }
  })
  for (const [newer, older] of findUpdates(sorted)) replaces[newer]?.add(older)
  return { replaces }
}

/** Pairs [newer, older] of places, among the first, that are about the same thing. */
function findUpdates(sorted: readonly Scored[]): [number, number][] {
  const { depth, within } = rankWeights.likeness
  const first = sorted.slice(0, depth)
  const titles = first.map(({ candidate }) => new Set(tokenize(candidate.title)))
  const pairs: [number, number][] = []
  for (let high = 0; high < first.length; high++) {
    for (let low = high + 1; low < first.length; low++) {
      const [better, worse] = [first[high] as Scored, first[low] as Scored]
      if (better.score - worse.score > within) break
      if ((worse.candidate.at ?? 0) <= (better.candidate.at ?? Number.POSITIVE_INFINITY)) continue
      if (areAlike(better.candidate, worse.candidate, titles[high] as Set<string>, titles[low] as Set<string>)) pairs.push([low, high])
    }
  }
  return pairs
}

function areAlike(one: Candidate, other: Candidate, oneTitle: Set<string>, otherTitle: Set<string>): boolean {
  if (isSequence(one.source) || isSequence(other.source)) return false
  if (shareOf(oneTitle, otherTitle) >= rankWeights.likeness.titles) return true
  const { minilm, static: table } = rankWeights.likeness
  if (one.passages?.minilm && other.passages?.minilm) return cosine(one.passages.minilm, other.passages.minilm) >= minilm
  return one.passages?.static !== undefined && other.passages?.static !== undefined && cosine(one.passages.static, other.passages.static) >= table
}

function shareOf(one: Set<string>, other: Set<string>): number {
  let shared = 0
  for (const word of one) if (other.has(word)) shared++
  const all = one.size + other.size - shared
  return all === 0 ? 0 : shared / all
}

function cosine(one: Int8Array, other: Int8Array): number {
  let product = 0
  let oneSquare = 0
  let otherSquare = 0
  for (let at = 0; at < one.length; at++) {
    const [a, b] = [one[at] as number, other[at] as number]
    product += a * b
    oneSquare += a * a
    otherSquare += b * b
  }
  return oneSquare === 0 || otherSquare === 0 ? 0 : product / Math.sqrt(oneSquare * otherSquare)
}

/** The best score of a candidate and all it replaces, over any number of steps; `passed` keeps a circle of links finite. */
function bestReplaced(sorted: readonly Scored[], succession: Succession, at: number, passed: Set<number>): number {
  passed.add(at)
  let best = sorted[at]?.score ?? 0
  for (const older of succession.replaces[at] ?? []) {
    if (!passed.has(older)) best = Math.max(best, bestReplaced(sorted, succession, older, passed))
  }
  return best
}

/** How many steps of replacing lie behind a candidate. */
function generationOf(succession: Succession, at: number, passed: Set<number>): number {
  if (passed.has(at)) return 0
  const path = new Set(passed).add(at)
  let deepest = 0
  for (const older of succession.replaces[at] ?? []) deepest = Math.max(deepest, 1 + generationOf(succession, older, path))
  return deepest
}

function byScoreThenNewest(one: Scored, other: Scored): number {
  const newest = (other.candidate.at ?? 0) - (one.candidate.at ?? 0)
  return other.score - one.score || newest || (one.candidate.id < other.candidate.id ? -1 : 1)
}
