import { DreyError } from "../../errors.ts"
import { parseQuery, pastSources, type Query, queryOf, quoteValue } from "../../formats/query.ts"
import type { MemoryClass } from "../../governance/classify.ts"
import { parseMemoryClass } from "../../governance/classify.ts"
import type { GovernedMemory } from "../../team/governed/governed-memory.ts"
import type { SearchFilters, SearchResult } from "../../team/governed/governed-search.ts"
import type { RecallParts } from "../recall-parts.ts"
import type { SearchHit, SearchRequest } from "./item-search.ts"
import { findItems, makeSnippet, type ScoredItem, wordsOf } from "./item-search.ts"
import { type PastSource, sourcesWanted } from "./past-search.ts"

export type EverythingRequest = {
  /** Words and filters in the query language. */
  text: string
  /** Only items of this agent. */
  agent?: string | undefined
  /** Archived and superseded items too. */
  all?: boolean | undefined
  /** Only what was said or done. Without it, and without a filter that asks for it, only memory is searched. */
  source?: PastSource | undefined
  limit: number
}

/** One result with its governance class. */
export type EverythingHit = {
  id: string
  class: MemoryClass
  title: string
  snippet: string
  source: string
  path: string
  /** Who shared a team memory. */
  sharedBy?: string
}

export type EverythingOutcome = { kind: "found"; hits: EverythingHit[] } | { kind: "refused"; reason: string }

/**
 * Results from the index, then those found only by governed memory providers, in one audited list. A query with a
 * secret is sent to neither.
 */
export async function searchEverything(
  request: EverythingRequest,
  memory: Pick<GovernedMemory, "searchWith">,
  search: (request: SearchRequest) => Promise<SearchHit[]>,
): Promise<EverythingOutcome> {
  const { text, agent, all, source, limit } = request
  const query = withinSources(queryOf(text), source)
  const find = () => search({ query, agent, all, limit })
  const outcome = await memory.searchWith(text, find)
  if (outcome.kind === "refused" && outcome.class === "FORBIDDEN") return { kind: "refused", reason: outcome.reason }
  const { here, elsewhere } = outcome.kind === "found" ? outcome : { here: await find(), elsewhere: [] }
  const hits = here.map(({ id, class: memoryClass, title, snippet, source, path, sharedBy }) => {
    const hit = { id, class: memoryClass, title, snippet, source, path }
    return sharedBy === undefined ? hit : { ...hit, sharedBy }
  })
  const others = (sourcesWanted({ query }).memory ? elsewhere : []).map(
    ({ id, class: memoryClass, title, snippet, source, provider, path }) => {
      return { id, class: memoryClass, title, snippet, source: source ?? provider, path }
    },
  )
  return { kind: "found", hits: [...hits, ...others].slice(0, limit) }
}

/** Filters that only a query for what was said or done has. */
const pastKeys: readonly string[] = ["source", "session", "client", "file"]

function withinSources({ terms, filters }: Query, source: PastSource | undefined): Query {
  if (source === undefined && filters.some(({ key, negated }) => pastKeys.includes(key) && !negated))
    return { terms, filters }
  const added = source === undefined ? pastSources : [source]
  const isLeftOut = source === undefined
  return {
    terms,
    filters: [...filters, ...added.map((value) => ({ key: "source" as const, value, negated: isLeftOut }))],
  }
}

const teamSources = ["decisions", "inbox", "archive", "history", "skills", "memory", "policy"] as const

/** A search of the team's items with every word, in Squad's format; then at the providers. Audited. */
export async function searchTeam(
  text: string,
  filters: SearchFilters,
  memory: Pick<GovernedMemory, "searchWith">,
  ask: (question: (parts: RecallParts) => Promise<ScoredItem[]>) => Promise<ScoredItem[]>,
): Promise<SearchResult[]> {
  const outcome = await memory.searchWith(text, async () => {
    const { agent, all } = filters
    const query = toQuery(text, filters)
    const wantedClass = filters.class === undefined ? undefined : parseMemoryClass(filters.class)
    const found = await ask((parts) => findItems(parts, { query, agent, all, every: true, limit: mostResults }))
    const isWanted = ({ item }: ScoredItem) => wantedClass === undefined || item.class === wantedClass
    return found.filter(isWanted).flatMap((each) => toSquadResult(each, wordsOf(query)))
  })
  return outcome.kind === "found" ? [...outcome.here, ...outcome.elsewhere] : []
}

const mostResults = 10_000

function toSquadResult({ item, score, supersededBy }: ScoredItem, words: string): SearchResult[] {
  const { id, class: memoryClass, load, title, path, line } = item
  const source = teamSources.find((each) => each === item.source)
  const loadGuidance = supersededBy.length > 0 ? "ARCHIVE" : load
  const snippet = makeSnippet(item.text === "" ? title : item.text, words).text
  return source === undefined
    ? []
    : [{ id, class: memoryClass, loadGuidance, title, path, snippet, provider: "local", score, source, line }]
}

/** Combines the query text with the separate filters. */
function toQuery(text: string, filters: SearchFilters): Query {
  const pairs: [string, string | undefined][] = [
    ["type", filters.type],
    ["author", filters.author],
    ["after", filters.after],
    ["before", filters.before],
    ["recent", filters.recent],
    ["scope", filters.scope],
    ["source", filters.source],
    ...(filters.tags ?? []).map((tag): [string, string] => ["tag", tag]),
  ]
  const options = pairs.flatMap(([key, value]) => (value === undefined ? [] : [`${key}:${quoteValue(value)}`]))
  const wanted = parseQuery(options.join(" "))
  if (wanted.kind === "invalid") throw new DreyError(wanted.problems.map(({ message }) => message).join(" "))
  const { terms, filters: written } = queryOf(text)
  const given = [...wanted.query.filters, ...written]
  const isNarrowed = given.some(({ key, negated }) => key === "source" && !negated)
  const sources = teamSources.map((value) => ({ key: "source" as const, value, negated: false }))
  return { terms, filters: isNarrowed ? given : [...given, ...sources] }
}
