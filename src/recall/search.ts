import { foldText } from "../formats/matches-query.ts"
import type { Query, QueryTerm } from "../formats/query.ts"
import type { AttemptResult } from "../formats/session/agent-memory.ts"
import type { MemoryClass } from "../governance/classify.ts"
import type { Filter, StoredItem } from "../index/index-store.ts"
import type { ItemSource } from "../index/item.ts"
import { tokenize } from "../index/tokenize.ts"
import { copyTest } from "./copy-test.ts"
import { fewProposals, findRanked } from "./find-ranked.ts"
import { sharedByOf } from "./learned-payload.ts"
import { resultOf } from "./payload.ts"
import { statusTest, toFilter } from "./query-filter.ts"
import type { Ranked } from "./rank.ts"
import { readSuccession } from "./read-succession.ts"
import type { RecallParts } from "./recall-parts.ts"
import { makeSnippet, type Snippet } from "./snippet.ts"
import { statusOfItem } from "./status-of-item.ts"

export type SearchRequest = {
  query: Query
  /** Only items of this agent: its history, and entries for it alone. */
  agent?: string | undefined
  /** Archived and superseded items too. */
  all?: boolean | undefined
  /** The state at this time. */
  asOf?: number | undefined
  limit?: number | undefined
}

/** One result, with the snippet that matched. */
export type SearchHit = {
  id: string
  source: ItemSource
  type: string
  /** Its governance class. */
  class: MemoryClass
  title: string
  snippet: string
  highlights: Snippet["highlights"]
  path: string
  line: number
  score: number
  author: string
  at: number | undefined
  supersededBy: string[]
  /** The result of a session attempt. */
  result?: AttemptResult
  /** Who shared a team memory. */
  sharedBy?: string
}

const defaultLimit = 20

/**
 * Searches all sources, best first; without words, newest first. Phrases are required, excluded words are forbidden.
 */
export async function search(parts: RecallParts, request: SearchRequest): Promise<SearchHit[]> {
  const { query, limit = defaultLimit } = request
  const now = parts.now().getTime()
  const text = wordsOf(query)
  const filter = toFilter(query.filters, request, now)
  const hasStatus = statusTest(query.filters, request)
  const deciding = query.terms.filter(isDeciding)
  const isWanted = ({ item, supersededBy }: Sighting) =>
    hasStatus(statusOfItem(item, supersededBy, request.asOf ?? now)) && holdsTerms(item, deciding)
  const show = (sightings: Sighting[]) => {
    const isCopy = copyTest()
    return sightings
      .filter((sighting) => isWanted(sighting) && !isCopy(sighting.item))
      .slice(0, limit)
      .map((sighting) => toHit(sighting, text))
  }

  const hasOnlyStopWords = deciding.length > 0 && tokenize(text).length === 0
  if (text.trim() === "" || hasOnlyStopWords) return show(await selectAll(parts, filter))
  const hits = show(await findBest(parts, text, filter, Math.max(limit, fewProposals)))
  // A low-ranked item may be the only one with the phrase.
  if (deciding.length === 0 || hits.length === limit) return hits
  return show(await findBest(parts, text, filter, manyProposals))
}

const manyProposals = 5000

/** A scored item, and what had replaced it at the requested time. */
type Sighting = { item: StoredItem; score: number; supersededBy: string[] }

async function selectAll(parts: RecallParts, filter: Filter): Promise<Sighting[]> {
  const items = await parts.index.select(filter, { now: parts.now().getTime() })
  const superseded = items.filter(({ supersededBy }) => supersededBy.length > 0).map(({ id }) => id)
  const { successorsOf } = await readSuccession(parts.index, superseded, filter.asOf)
  return items.map((item) => ({ item, score: 0, supersededBy: successorsOf(item.id) }))
}

/** A replaced item passes its score on to its successor, so that old terms find the new item. */
async function findBest(parts: RecallParts, text: string, filter: Filter, proposals: number): Promise<Sighting[]> {
  const wide = { ...filter, superseded: filter.superseded ?? true }
  const ranked = await findRanked(parts, text, wide, { proposals, complete: true })
  const worthShowing = ranked.filter(isWorthShowing)
  const isHidden = ({ candidate }: Ranked) => filter.superseded === undefined && candidate.supersededBy.length > 0
  const hidden = worthShowing.filter(isHidden).map(({ candidate }) => candidate.id)
  const { currentOf } = await readSuccession(parts.index, hidden, filter.asOf)
  const current =
    hidden.length === 0
      ? []
      : await parts.index.select({ ...filter, ids: hidden.flatMap(currentOf) }, { now: parts.now().getTime() })
  const shown = worthShowing.filter((each) => !isHidden(each))
  const items = await parts.index.rows(shown.map(({ candidate }) => candidate.row))
  const byRow = new Map(items.map((item) => [item.row, item]))
  const byId = new Map([...current, ...items].map((item) => [item.id, item]))
  const sightings = new Map<number, Sighting>()
  for (const each of worthShowing) {
    const { candidate, score } = each
    const found = isHidden(each) ? currentOf(candidate.id).map((id) => byId.get(id)) : [byRow.get(candidate.row)]
    for (const item of found) {
      if (item && !sightings.has(item.row))
        sightings.set(item.row, { item, score, supersededBy: isHidden(each) ? [] : candidate.supersededBy })
    }
  }
  return [...sightings.values()]
}

/** By meaning alone everything is similar to something: an item without a shared word must be clearly relevant. */
export function isWorthShowing({ candidate, qualifies }: Ranked): boolean {
  return candidate.coverage > 0 || qualifies
}

/** The words of a query. */
export function wordsOf({ terms }: Query): string {
  return terms.flatMap((term) => (term.negated ? [] : [term.text])).join(" ")
}

/** Plain words only affect the ranking; phrases, quoted words and exclusions are required to match. */
export function isDeciding({ text, negated, quoted }: QueryTerm): boolean {
  return negated || quoted === true || /\s/.test(text.trim())
}

export function holdsTerms(
  item: Pick<StoredItem, "title" | "text" | "tags" | "author">,
  terms: readonly QueryTerm[],
): boolean {
  if (terms.length === 0) return true
  const searched = [item.title, item.text, ...item.tags, item.author].map(foldText).join("\n")
  return terms.every(({ text, negated }) => searched.includes(foldText(text)) !== negated)
}

function toHit({ item, score, supersededBy }: Sighting, text: string): SearchHit {
  const { id, source, type, class: memoryClass, title, path, line, author, at } = item
  const snippet = makeSnippet(item.text === "" ? title : item.text, text)
  const result = resultOf(item)
  const sharedBy = sharedByOf(item)
  return {
    id,
    source,
    type,
    class: memoryClass,
    title,
    snippet: snippet.text,
    highlights: snippet.highlights,
    path,
    line,
    score,
    author,
    at,
    supersededBy,
    ...(result === undefined ? {} : { result }),
    ...(sharedBy === undefined ? {} : { sharedBy }),
  }
}
