import { pastSources } from "../../formats/query.ts"
import type { Filter } from "../../index/index-store.ts"
import type { ScoredItem, SearchRequest } from "./item-search.ts"

export type PastSource = (typeof pastSources)[number]

const pastTypes: Record<PastSource, readonly string[]> = { conversation: ["conversation"], commit: ["commit", "merge"] }

/** Which kinds of items a search is about: without a `source:` all; other filters may leave only memory. */
export function sourcesWanted({ query, agent }: SearchRequest): { memory: boolean; past: PastSource[] } {
  const values = (key: string, negated: boolean) =>
    query.filters.flatMap((filter) => (filter.key === key && filter.negated === negated ? [filter.value] : []))
  const [sources, types] = [values("source", false), values("type", false)]
  const isOfMemory =
    agent !== undefined || ["scope", "related", "tag", "status"].some((key) => values(key, false).length > 0)
  const past = pastSources.filter(
    (source) =>
      (sources.length === 0 ? !isOfMemory : sources.includes(source)) &&
      !values("source", true).includes(source) &&
      (types.length === 0 || pastTypes[source].some((type) => types.includes(type))),
  )
  const isPast = (value: string) => pastSources.some((source) => source === value)
  const hasTypes = types.some((type) => !Object.values(pastTypes).flat().includes(type))
  return {
    memory: (sources.length === 0 || !sources.every(isPast)) && (types.length === 0 || hasTypes),
    past,
  }
}

/** What a merge or a program's commit loses against the others: it says little about why. */
const routinePenalty = 1

/** Only this source, whatever else the query says about sources. */
export function ofPast(filter: Filter, source: PastSource): Filter {
  const { sources: _, ...not } = filter.not ?? {}
  return { ...filter, sources: [source], not }
}

/** Commits with those of merges and programs further down. */
export function putRoutineLast(found: ScoredItem[]): ScoredItem[] {
  if (!found.some(isRoutine)) return found
  return found
    .map((each) => (isRoutine(each) ? { ...each, score: each.score - routinePenalty } : each))
    .sort((one, other) => other.score - one.score || (other.item.at ?? 0) - (one.item.at ?? 0))
}

function isRoutine({ item }: ScoredItem): boolean {
  return item.type === "merge" || item.tags.includes("bot")
}

/** How much less relevant a memory may be than something said or done, and still be shown before it. */
const memoryFirst = 0.15

/** Merges ranked lists by relevance, or by date where nothing was asked in words; each keeps its order. */
export function mergeLists(lists: readonly ScoredItem[][]): ScoredItem[] {
  const left = lists.map((list) => [...list])
  const merged: ScoredItem[] = []
  for (;;) {
    const heads = left.flatMap((list) => (list[0] ? [{ list, key: keyOf(list) }] : []))
    const [best] = heads.sort((one, other) => other.key - one.key)
    if (!best) return merged
    merged.push(best.list.shift() as ScoredItem)
  }
}

function keyOf([head]: ScoredItem[]): number {
  if (head?.relevance === undefined) return head?.item.at ?? 0
  const isPast = pastSources.some((source) => source === head.item.source)
  return head.relevance + (isPast ? 0 : memoryFirst)
}
