import { statusesNamed } from "../../../formats/item-status.ts"
import { filterTest } from "../../../formats/matches-query.ts"
import type { Query, QueryKey } from "../../../formats/query.ts"
import { countFacets, type ItemPage, type Passage } from "../../../recall/browse/browse-items.ts"
import { filterableOf } from "../../../recall/browse/catalogue.ts"
import type { ItemRow } from "../../../recall/browse/item-row.ts"
import { search, wordsOf } from "../../../recall/search.ts"
import { memoriesByIds } from "../../../store/memory-rows.ts"
import { countOf, facetsOf, pageOf } from "./list-memories.ts"
import type { MemoryLook } from "./look.ts"
import { conditionOf } from "./memory-condition.ts"
import { teamRow } from "./team-row.ts"

/** How many are looked at where words are asked for; who wants more says more. */
const mostFound = 500

const noFacets = { type: [], author: [], scope: [], tag: [], status: [], source: [] }

/** A page of what a query finds: best first where words are asked for, else newest first. What it has in common is counted where no rows are wanted. */
export async function findMemories(
  look: MemoryLook,
  query: Query,
  { limit, offset }: { limit: number; offset: number },
): Promise<ItemPage> {
  if (asksTheIndex(query)) {
    const found = await searchRows(look, query)
    const rows = found.slice(offset, offset + limit).map(({ row, passage }) => ({ ...row, ...passage }))
    return { rows, total: found.length, facets: limit === 0 ? countFacets(found) : noFacets }
  }
  const condition = conditionOf(query, look.now)
  if (limit === 0) return { rows: [], ...(await look.read(facetsOf(condition))) }
  const page = await look.read(pageOf(condition, { limit, offset }))
  const total = await look.read(countOf(condition))
  return { rows: page.map((memory) => teamRow(memory, look.now)), total, facets: noFacets }
}

/** What has ended is in no index. */
export function asksTheIndex(query: Query): boolean {
  const statuses = query.filters.filter(({ key, negated }) => key === "status" && !negated)
  const asksForEnded =
    statuses.length > 0 && statuses.every(({ value }) => statusesNamed(value).every((status) => status === "ended"))
  return wordsOf(query).trim() !== "" && !asksForEnded
}

export type FoundRow = { row: ItemRow; people: string[]; passage: Passage }

/** The filters that narrow the search itself; the others are held against what it finds. */
const knownToIndex: ReadonlySet<QueryKey> = new Set(["type", "scope", "id", "after", "before", "recent"])

/** The best by words and meaning. */
export async function searchRows({ recall, read, now }: MemoryLook, query: Query): Promise<FoundRow[]> {
  const filters = query.filters.filter(({ key }) => knownToIndex.has(key))
  const hits = await search(recall, { query: { ...query, filters }, all: true, limit: mostFound })
  const memories = await read(memoriesByIds(hits.map(({ id }) => id)))
  const byId = new Map(memories.map((memory) => [memory.id, teamRow(memory, now)]))
  const passes = filterTest(query.filters, now)
  return hits.flatMap(({ id, snippet, highlights }): FoundRow[] => {
    const row = byId.get(id)
    if (!row || !passes(filterableOf(row, [row.author]))) return []
    const passage: Passage = { snippet, highlights: highlights.map(({ start, end }) => [start, end]) }
    return [{ row, people: [row.author], passage }]
  })
}
