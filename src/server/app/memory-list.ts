import type { Query, QueryFilter, QueryKey } from "../../formats/query.ts"
import { filterTest, statusesNamed } from "../../formats/query-match.ts"
import { nameKey } from "../../formats/source-text.ts"
import { instantOf, parseDuration } from "../../formats/timestamp.ts"
import type { Memory } from "../../memories/memory.ts"
import { memoriesByIds } from "../../memories/memory-rows.ts"
import { all, one, type Steps } from "../../memories/steps.ts"
import { filterableOf, type ItemSummary, rowOfMemory, staleAfterMs } from "../../recall/browse/catalogue.ts"
import { countFacets, type ItemFacets, type ItemPage, mostCommon, type Passage } from "../../recall/browse/item-list.ts"
import { type ItemTimeline, makeTimeline } from "../../recall/browse/overview.ts"
import { search, wordsOf } from "../../recall/search/item-search.ts"
import { fromEpisodes } from "../memories/team-memories.ts"
import type { MemorySnapshot } from "./snapshot.ts"

/** How many results are ranked for a text query; beyond that the query has to be narrowed. */
const mostFound = 500

const noFacets = { type: [], author: [], scope: [], tag: [], status: [], source: [] }

/** A page of results: best first for a text query, otherwise newest first. Facets are counted when no rows are requested. */
export async function findMemories(
  look: MemorySnapshot,
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

/** Ended memories are in no index. */
function asksTheIndex(query: Query): boolean {
  const statuses = query.filters.filter(({ key, negated }) => key === "status" && !negated)
  const asksForEnded =
    statuses.length > 0 && statuses.every(({ value }) => statusesNamed(value).every((status) => status === "ended"))
  return wordsOf(query).trim() !== "" && !asksForEnded
}

export type FoundRow = { row: ItemSummary; people: string[]; passage: Passage }

/** The filters that narrow the search itself; the others are applied to its results. */
const knownToIndex: ReadonlySet<QueryKey> = new Set(["type", "scope", "id", "after", "before", "recent"])

/** The best by words and meaning. */
async function searchRows({ recall, read, now }: MemorySnapshot, query: Query): Promise<FoundRow[]> {
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

/** A page of the memories that match a condition, newest first. */
export function* pageOf(
  { sql, values }: MemoryCondition,
  { limit, offset }: { limit: number; offset: number },
): Steps<Memory[]> {
  const rows = yield* all<{ id: string }>(
    `SELECT memory_id AS id FROM memories WHERE ${sql} ORDER BY created_at DESC, memory_id LIMIT :limit OFFSET :offset`,
    { ...values, limit, offset },
  )
  return yield* memoriesByIds(rows.map(({ id }) => id))
}

function* countOf({ sql, values }: MemoryCondition): Steps<number> {
  const row = yield* one<{ count: number }>(`SELECT count(*) AS count FROM memories WHERE ${sql}`, values)
  return row?.count ?? 0
}

const mostKeys = 100

type FacetRow = Record<"type" | "scope" | "status" | "author" | "project", string | null> & { count: number }

/** How many there are, and how many have each value, the commonest first: all counted in one pass but for keys, of which there may be thousands. */
function* facetsOf({ sql, values }: MemoryCondition): Steps<{ total: number; facets: ItemFacets }> {
  const rows = yield* all<FacetRow>(
    `SELECT type, scope, status, author, project, count(*) AS count FROM (
       SELECT kind AS type, scope, ${shownStatus} AS status, ${shownAuthor} AS author, project_id AS project FROM memories WHERE ${sql}
     ) AS found GROUP BY GROUPING SETS ((type), (scope), (status), (author), (project))`,
    values,
  )
  const keys = yield* all<{ key: string; count: number }>(
    `SELECT key, count(*) AS count FROM memories WHERE key IS NOT NULL AND (${sql}) GROUP BY key ORDER BY 2 DESC, key LIMIT :mostKeys`,
    { ...values, mostKeys },
  )
  const countsOf = (column: keyof Omit<FacetRow, "count">) =>
    rows.flatMap((row): [string, number][] => (row[column] === null ? [] : [[row[column], row.count]]))
  const shown = (counts: [string, number][]) => mostCommon(new Map(counts))
  const total = countsOf("type").reduce((sum, [, count]) => sum + count, 0)
  return {
    total,
    facets: {
      type: shown(countsOf("type")),
      author: shown(countsOf("author")),
      scope: shown(countsOf("scope")),
      tag: shown([...countsOf("project"), ...keys.map(({ key, count }): [string, number] => [key, count])]),
      status: shown(countsOf("status")),
      source: total === 0 ? [] : [{ value: "learned", count: total }],
    },
  }
}

/** A query as SQL on the table `memories`, with the values of its parameters. */
type MemoryCondition = { sql: string; values: Record<string, string> }

/** The displayed status, from the stored one and the time. */
export const shownStatus = `CASE WHEN status = 'deprecated' THEN 'ended' WHEN expires_at <= :now THEN 'expired'
  WHEN status = 'active' THEN 'proven' ELSE 'on trial' END`

/** The displayed contributor. */
const shownAuthor = "coalesce(contributed_by, :episodes)"

/** Active, but not handed out for months. */
const isStale = `(status <> 'deprecated' AND pinned = 0 AND :stale >
  (SELECT coalesce(last_used_at, created_at) FROM memory_metrics WHERE memory_metrics.memory_id = memories.memory_id))`

/** Something has one of each of these, so several filters mean any of them; of the other keys all must hold. */
const anyWillDo: ReadonlySet<QueryKey> = new Set(["type", "author", "scope", "source", "status", "id"])

/** Every word must occur in the text: the index is better, but does not have ended memories. */
export function conditionOf({ filters, terms }: Query, now: Date): MemoryCondition {
  const values: MemoryCondition["values"] = {
    now: now.toISOString(),
    episodes: fromEpisodes,
    stale: new Date(now.getTime() - staleAfterMs).toISOString(),
  }
  const name = (value: string) => {
    const key = `v${Object.keys(values).length}`
    values[key] = value
    return `:${key}`
  }
  const holds = (filter: QueryFilter) => filterSql(filter, now, name)
  const wanted = filters.filter(({ negated }) => !negated)
  const groups = wanted.flatMap((filter, at) => {
    if (!anyWillDo.has(filter.key)) return [[filter]]
    const alike = wanted.filter(({ key }) => key === filter.key)
    return wanted.indexOf(alike[0] ?? filter) === at ? [alike] : []
  })
  const holding = (text: string) => `lower(text) LIKE ${name(`%${escapeLike(text)}%`)} ESCAPE '!'`
  const parts = [
    ...groups.map((group) => group.map(holds).join(" OR ")),
    ...filters.filter(({ negated }) => negated).map((filter) => `(${holds(filter)}) IS NOT TRUE`),
    ...terms.map(({ text, negated }) => (negated ? `NOT ${holding(text)}` : holding(text))),
  ]
  return { sql: parts.length === 0 ? "1 = 1" : parts.map((part) => `(${part})`).join(" AND "), values }
}

function filterSql({ key, value }: QueryFilter, now: Date, name: (value: string) => string): string {
  switch (key) {
    case "type":
      return `kind = ${name(value)}`
    case "author":
      return `lower(${shownAuthor}) = ${name(nameKey(value))}`
    case "scope":
      return `scope = ${name(value.toLowerCase())}`
    case "source":
      return value === "learned" ? "1 = 1" : "1 = 0"
    case "related":
    case "file":
    case "session":
    case "client":
      return "1 = 0" // not recorded for what was learned
    case "id":
      return `memory_id = ${name(value)}`
    case "status":
      return `${shownStatus} IN (${statusesNamed(value).map(name).join(", ")})`
    case "tag":
      return tagSql(nameKey(value), name)
    case "after":
      return `created_at >= ${name(isoOf(instantOf(value)))}`
    case "before":
      return `created_at < ${name(isoOf(instantOf(value)))}`
    case "recent":
      return `created_at >= ${name(isoOf(now.getTime() - (parseDuration(value) ?? 0)))}`
  }
}

/** A tag is the key of a fact, a flag, or a project. */
function tagSql(tag: string, name: (value: string) => string): string {
  if (tag === "stale") return isStale
  const flag = `lower(flags) LIKE ${name(`%"${escapeLike(tag)}"%`)} ESCAPE '!'`
  const same = name(tag)
  return `lower(key) = ${same} OR lower(project_id) = ${same} OR ${flag}`
}

function isoOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

function escapeLike(text: string): string {
  return text.toLowerCase().replace(/[!%_]/g, "!$&")
}

/** More dots than this are a blot. */
const mostDots = 10_000

/** Results over time; if there are very many, the newest, and how many there were before them. */
export async function readTimeline(look: MemorySnapshot, query: Query): Promise<ItemTimeline> {
  if (asksTheIndex(query)) return makeTimeline(await searchRows(look, query))
  const condition = conditionOf(query, look.now)
  const dots = await look.read(newestOf(condition))
  const earlier = dots.length < mostDots ? 0 : (await look.read(countOf(condition))) - dots.length
  const timeline = makeTimeline(
    dots.map(({ id, type, created }) => ({ row: { id, type, at: Date.parse(created), source: "learned" } })),
  )
  return { ...timeline, weeks: timeline.weeks.map((week) => ({ ...week, total: week.total + earlier })) }
}

type Dot = { id: string; type: string; created: string }

function newestOf({ sql, values }: MemoryCondition): Steps<Dot[]> {
  return all<Dot>(
    `SELECT memory_id AS id, kind AS type, created_at AS created FROM memories WHERE ${sql}
     ORDER BY created_at DESC, memory_id LIMIT :mostDots`,
    { ...values, mostDots },
  )
}

/** A memory of the team as one row of a list: its author is the member who shared it, and its project is a tag. */
export function teamRow(memory: Memory, now: Date): ItemSummary {
  const row = rowOfMemory(memory, now.getTime())
  const { project, contributedBy } = memory
  return {
    ...row,
    author: contributedBy ?? fromEpisodes,
    tags: project === undefined ? row.tags : [...row.tags, project],
  }
}
