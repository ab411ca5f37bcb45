import type { Query } from "../../formats/query.ts"
import { filterTest, foldText } from "../../formats/query-match.ts"
import { nameKey } from "../../formats/source-text.ts"
import { tokenize } from "../../index/tokenizer.ts"
import type { RecallParts } from "../recall-parts.ts"
import { containsTerms, isDeciding, isWorthShowing, makeSnippet, wordsOf } from "../search/item-search.ts"
import { toFilter } from "../search/query-filter.ts"
import { findRanked } from "../search/ranking.ts"
import type { Catalogue, Catalogued, ItemSummary } from "./catalogue.ts"

/** A passage that matches the query, with the offsets of the matches. */
export type Passage = { snippet: string; highlights: [start: number, end: number][] }

export type ItemPage = { rows: (ItemSummary & Partial<Passage>)[]; total: number; facets: ItemFacets }

export type FacetName = "type" | "author" | "scope" | "tag" | "status" | "source"
export type ItemFacets = Record<FacetName, { value: string; count: number }[]>

/** A page of results, with facets over all results. */
export async function browseItems(
  parts: RecallParts,
  catalogue: Catalogue,
  query: Query,
  { limit, offset }: { limit: number; offset: number },
): Promise<ItemPage> {
  const found = await findItems(parts, catalogue, query)
  const text = wordsOf(query)
  return {
    rows: found.slice(offset, offset + limit).map(({ row, text: body }) => ({ ...row, ...passageOf(row, body, text) })),
    total: found.length,
    facets: countFacets(found),
  }
}

/** Without words, the beginning of the text. */
function passageOf({ title }: ItemSummary, body: string, text: string): Passage | undefined {
  if (body === "" || (body === title && text.trim() === "")) return undefined
  const { text: snippet, highlights } = makeSnippet(body, text)
  return { snippet, highlights: highlights.map(({ start, end }) => [start, end]) }
}

const mostValues = 100

/** How many items have each value, most common first. Case is ignored. */
export function countFacets(found: readonly Pick<Catalogued, "row" | "people">[]): ItemFacets {
  const counts = { type: tally(), author: tally(), scope: tally(), tag: tally(), status: tally(), source: tally() }
  // One pass without allocations: this runs on every keystroke.
  for (const { row, people } of found) {
    counts.type.add(row.type)
    counts.scope.add(row.scope)
    counts.status.add(row.status)
    counts.source.add(row.source)
    for (const name of people) counts.author.add(name)
    for (const tag of row.tags) counts.tag.add(tag)
  }
  return {
    type: mostCommon(counts.type.counts),
    author: mostCommon(counts.author.counts),
    scope: mostCommon(counts.scope.counts),
    tag: mostCommon(counts.tag.counts),
    status: mostCommon(counts.status.counts),
    source: mostCommon(counts.source.counts),
  }
}

function tally() {
  const counts = new Map<string, number>()
  return { counts, add: (value: string) => counts.set(value, (counts.get(value) ?? 0) + 1) }
}

export function mostCommon(counts: ReadonlyMap<string, number>): ItemFacets["type"] {
  const byKey = new Map<string, { value: string; count: number }>()
  for (const [value, count] of [...counts].sort(([, one], [, other]) => other - one)) {
    const key = nameKey(value)
    const known = byKey.get(key)
    if (known) known.count += count
    else byKey.set(key, { value, count })
  }
  return [...byKey.values()]
    .sort((one, other) => other.count - one.count || (one.value < other.value ? -1 : 1))
    .slice(0, mostValues)
}

/** All items that match a query: best first if it has words, otherwise newest first. Nothing is hidden. */
export async function findItems(parts: RecallParts, catalogue: Catalogue, query: Query): Promise<Catalogued[]> {
  const text = wordsOf(query)
  const deciding = query.terms.filter(isDeciding)
  const hasWords = tokenize(text).length > 0
  const ordered = hasWords ? await orderByWords(parts, catalogue, text, query) : catalogue.items
  if (!hasWords && text.trim() !== "" && deciding.length === 0) return [] // words that occur everywhere
  const passes = filterTest(query.filters, parts.now())
  const holds = ({ row, text: body }: Catalogued) =>
    containsTerms({ title: row.title, text: body, tags: row.tags, author: row.author }, deciding)
  return ordered.filter((each) => passes(each.filterable) && (deciding.length === 0 || holds(each)))
}

/** Ranked results first, then other items that contain one of the words, then ended items, which are not indexed. */
async function orderByWords(
  parts: RecallParts,
  { items, byId }: Catalogue,
  text: string,
  query: Query,
): Promise<Catalogued[]> {
  const filter = { ...toFilter(query.filters, { all: true }, parts.now().getTime()), superseded: true }
  const ranked = (await findRanked(parts, text, filter, { complete: true })).filter(isWorthShowing)
  const holding = await parts.index.holding({ text, complete: true })
  const ids = new Set([...ranked.map(({ candidate }) => candidate.id), ...holding])
  const words = foldText(text).split(" ")
  const ended = items.filter((each) => {
    if (each.row.status !== "ended") return false
    const folded = foldedText(each)
    return words.some((word) => folded.includes(word))
  })
  return [...[...ids].flatMap((id) => byId.get(id) ?? []), ...ended]
}

const known = new WeakMap<Catalogued, string>()

/** Cached: folding a text is slower than searching it. */
function foldedText(each: Catalogued): string {
  const folded = known.get(each) ?? foldText(each.text)
  known.set(each, folded)
  return folded
}
