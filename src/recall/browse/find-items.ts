import { filterTest, foldText } from "../../formats/matches-query.ts"
import type { Query } from "../../formats/query.ts"
import { tokenize } from "../../index/tokenize.ts"
import { findRanked } from "../find-ranked.ts"
import { toFilter } from "../query-filter.ts"
import type { RecallParts } from "../recall-parts.ts"
import { holdsTerms, isDeciding, isWorthShowing, wordsOf } from "../search.ts"
import type { Catalogue, Catalogued } from "./catalogue.ts"

/** All that a query asks for, however much that is: best first where words are asked for, else newest first. Nothing is hidden. */
export async function findItems(parts: RecallParts, catalogue: Catalogue, query: Query): Promise<Catalogued[]> {
  const text = wordsOf(query)
  const deciding = query.terms.filter(isDeciding)
  const hasWords = tokenize(text).length > 0
  const ordered = hasWords ? await orderByWords(parts, catalogue, text, query) : catalogue.items
  if (!hasWords && text.trim() !== "" && deciding.length === 0) return [] // words that stand everywhere
  const passes = filterTest(query.filters, parts.now())
  return ordered.filter(
    ({ row, filterable, text: body }) =>
      passes(filterable) && holdsTerms({ title: row.title, text: body, tags: row.tags, author: row.author }, deciding),
  )
}

/** First what is best by all signals, then whatever else holds one of the words, then what has ended. */
async function orderByWords(
  parts: RecallParts,
  { items, byIndexRow }: Catalogue,
  text: string,
  query: Query,
): Promise<Catalogued[]> {
  const now = parts.now().getTime()
  const filter = { ...toFilter(query.filters, { all: true }, now), superseded: true }
  const ranked = (await findRanked(parts, text, filter, { complete: true })).filter(isWorthShowing)
  const holding = await parts.index.holding({ text, complete: true })
  const rows = new Set([...ranked.map(({ candidate }) => candidate.row), ...holding])
  const words = foldText(text).split(" ")
  const ended = items.filter((each) => {
    if (each.indexRow !== undefined) return false
    const folded = foldText(each.text)
    return words.some((word) => folded.includes(word))
  })
  return [...[...rows].flatMap((row) => byIndexRow.get(row) ?? []), ...ended]
}
