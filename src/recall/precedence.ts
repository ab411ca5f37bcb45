import { bareWords } from "../formats/bare-words.ts"
import type { StoredItem } from "../index/index-store.ts"
import type { Gathered } from "./gather.ts"
import { learnedPayload } from "./learned-payload.ts"
import { isInside } from "./standing.ts"

/**
 * Resolves memories of the user and their teams on the same topic. Guards are never masked. Of preferences with one key
 * the user's own wins, then the team's, then the organisation's; of invariants the one with the narrower path, then the
 * team's. Everything else goes by rank. The winner inherits the relevance of those it replaces.
 */
export function withPrecedence(gathered: readonly Gathered[], paths: readonly string[]): Gathered[] {
  const facts = gathered.filter(({ item }) => isFact(item) && isFor(item, paths))
  const maskedBy = new Map<Gathered, Gathered>()
  for (const fact of facts) {
    const winner = facts.find((other) => isAboutTheSame(fact.item, other.item) && compare(other.item, fact.item) < 0)
    if (winner) maskedBy.set(fact, winner)
  }
  const standing = gathered.filter((each) => !maskedBy.has(each)).map((each) => inPlaceOf(each, maskedBy))
  const single = new Set(withoutTwins(standing.map(({ item }) => item)))
  return standing.filter(({ item }) => single.has(item))
}

const factTypes = ["preference", "invariant"]

export function isFact(item: StoredItem): boolean {
  return factTypes.includes(item.type) && learnedPayload(item).key !== undefined
}

function isFor({ pathPrefix }: StoredItem, paths: readonly string[]): boolean {
  return pathPrefix === undefined || paths.some((path) => isInside(path, pathPrefix))
}

function isAboutTheSame(one: StoredItem, other: StoredItem): boolean {
  return one.type === other.type && learnedPayload(one).key === learnedPayload(other).key
}

const owners = ["user", "team", "org"] as const

/** Below zero if the first one wins. */
function compare(one: StoredItem, other: StoredItem): number {
  const rank = (item: StoredItem) => owners.indexOf(learnedPayload(item).owner ?? "user")
  if (one.type === "preference") return rank(one) - rank(other) || depthOf(other) - depthOf(one)
  const isUsers = (item: StoredItem) => Number(rank(item) === 0)
  return depthOf(other) - depthOf(one) || isUsers(one) - isUsers(other) || rank(one) - rank(other)
}

function depthOf({ pathPrefix }: StoredItem): number {
  return pathPrefix === undefined ? 0 : pathPrefix.split("/").length
}

function inPlaceOf(each: Gathered, maskedBy: ReadonlyMap<Gathered, Gathered>): Gathered {
  const masked = [...maskedBy].filter(([, winner]) => winner === each).map(([loser]) => loser)
  if (masked.length === 0) return each
  const all = [each, ...masked]
  return {
    ...each,
    score: Math.max(...all.map(({ score }) => score)),
    relevance: Math.max(...all.map(({ relevance }) => relevance)),
    qualifies: all.some(({ qualifies }) => qualifies),
  }
}

/**
 * A shared memory exists twice for its author: the team's copy is kept, so that all members use and prove the same one.
 */
export function withoutTwins(items: readonly StoredItem[]): StoredItem[] {
  const isShared = (item: StoredItem) => item.source === "learned" && learnedPayload(item).owner !== undefined
  const said = new Set(items.filter(isShared).map(wordsOf))
  return items.filter((item) => isShared(item) || item.source !== "learned" || !said.has(wordsOf(item)))
}

function wordsOf({ type, pathPrefix = "", text }: StoredItem): string {
  return `${type} ${pathPrefix} ${bareWords(text)}`
}
