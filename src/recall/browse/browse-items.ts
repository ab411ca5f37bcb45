import { nameKey } from "../../formats/matches-query.ts"
import type { Query } from "../../formats/query.ts"
import type { RecallParts } from "../recall-parts.ts"
import { wordsOf } from "../search.ts"
import { makeSnippet } from "../snippet.ts"
import type { Catalogue, Catalogued } from "./catalogue.ts"
import { findItems } from "./find-items.ts"
import type { ItemRow } from "./item-row.ts"

/** A passage with what was asked for, and where in it that stands. */
export type Passage = { snippet: string; highlights: [start: number, end: number][] }

export type ItemPage = { rows: (ItemRow & Partial<Passage>)[]; total: number; facets: ItemFacets }

export type FacetName = "type" | "author" | "scope" | "tag" | "status" | "source"
export type ItemFacets = Record<FacetName, { value: string; count: number }[]>

/** A page of what a query finds, and what else could be asked of all that it finds. */
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

/** Without words, how the text begins. */
function passageOf({ title }: ItemRow, body: string, text: string): Passage | undefined {
  if (body === "" || (body === title && text.trim() === "")) return undefined
  const { text: snippet, highlights } = makeSnippet(body, text)
  return { snippet, highlights: highlights.map(({ start, end }) => [start, end]) }
}

const mostValues = 100

/** How many have each value, the commonest first. Values that differ only by case are one. */
export function countFacets(found: readonly Catalogued[]): ItemFacets {
  const count = (valuesOf: (each: Catalogued) => readonly string[]) => {
    const counts = new Map<string, { value: string; count: number }>()
    for (const each of found) {
      for (const value of valuesOf(each)) {
        const known = counts.get(value)
        if (known) known.count++
        else counts.set(value, { value, count: 1 })
      }
    }
    return mostCommon([...counts.values()])
  }
  return {
    type: count(({ row }) => [row.type]),
    author: count(({ people }) => people),
    scope: count(({ row }) => [row.scope]),
    tag: count(({ row }) => row.tags),
    status: count(({ row }) => [row.status]),
    source: count(({ row }) => [row.source]),
  }
}

function mostCommon(counts: { value: string; count: number }[]): ItemFacets["type"] {
  const byKey = new Map<string, { value: string; count: number }>()
  for (const each of counts.sort((one, other) => other.count - one.count)) {
    const known = byKey.get(nameKey(each.value))
    if (known) known.count += each.count
    else byKey.set(nameKey(each.value), each)
  }
  return [...byKey.values()]
    .sort((one, other) => other.count - one.count || (one.value < other.value ? -1 : 1))
    .slice(0, mostValues)
}
