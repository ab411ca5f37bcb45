import { filterTest, foldText } from "../../formats/matches-query.ts"
import type { Query } from "../../formats/query.ts"
import { tokenize } from "../../index/tokenize.ts"
import { findRanked } from "../find-ranked.ts"
import { toFilter } from "../query-filter.ts"
import type { RecallParts } from "../recall-parts.ts"
import { holdsTerms, isDeciding, isWorthShowing, wordsOf } from "../search.ts"
import type { Catalogue, Catalogued } from "./catalogue.ts"

/** All items that match a query: best first if it has words, otherwise newest first. Nothing is hidden. */
export async function findItems(parts: RecallParts, catalogue: Catalogue, query: Query): Promise<Catalogued[]> {
  const text = wordsOf(query)
  const deciding = query.terms.filter(isDeciding)
  const hasWords = tokenize(text).length > 0
  const ordered = hasWords ? await orderByWords(parts, catalogue, text, query) : catalogue.items
  if (!hasWords && text.trim() !== "" && deciding.length === 0) return [] // words that occur everywhere
  const passes = filterTest(query.filters, parts.now())
  const holds = ({ row, text: body }: Catalogued) =>
    holdsTerms({ title: row.title, text: body, tags: row.tags, author: row.author }, deciding)
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
