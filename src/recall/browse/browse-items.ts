import { nameKey } from "../../formats/matches-query.ts"
import type { Query } from "../../formats/query.ts"
import type { RecallParts } from "../recall-parts.ts"
import { wordsOf } from "../search.ts"
import { makeSnippet } from "../snippet.ts"
import type { Catalogue, Catalogued } from "./catalogue.ts"
import { findItems } from "./find-items.ts"
import type { ItemRow } from "./item-row.ts"

/** A passage that matches the query, with the offsets of the matches. */
export type Passage = { snippet: string; highlights: [start: number, end: number][] }

export type ItemPage = { rows: (ItemRow & Partial<Passage>)[]; total: number; facets: ItemFacets }

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
function passageOf({ title }: ItemRow, body: string, text: string): Passage | undefined {
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
