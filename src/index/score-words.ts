import { countsIn, type TermCounts, type TermList } from "./term-list.ts"

/** How much a word counts by the field that it stands in: title, text, extra, in the order of the full text table. */
export const fieldWeights = { title: 4, text: 1, extra: 1.5 }

/** How slowly repeating a word stops to count: records repeat what they are about. */
export const k1 = 2
/** How much length counts against an item: logs hold reports that mention everything. */
const b = 0.9
/** So many words are free: among short turns the shorter one is not the better one. */
const freeLength = 40

/** BM25 of an item for all words of the request, and the share of the request's idf that the item's words hold. */
export function scoreWords(
  list: TermList,
  terms: readonly { hash: number; idf: number; weight: number }[],
  averageLength: number,
): { words: number; coverage: number } {
  const length = lengthOf(list.lengths)
  const damping = k1 * (1 - b + (b * (length + freeLength)) / (averageLength + freeLength))
  let words = 0
  let held = 0
  let all = 0
  for (const { hash, idf, weight } of terms) {
    all += idf
    const counts = countsIn(list, hash)
    if (!counts) continue
    const frequency =
      counts.title * fieldWeights.title + counts.text * fieldWeights.text + counts.extra * fieldWeights.extra
    words += (weight * frequency * (k1 + 1)) / (frequency + damping)
    held += idf
  }
  return { words, coverage: all === 0 ? 0 : held / all }
}

/** An item's length as the scores mean it; of all items together it gives the average. */
export function lengthOf({ title, text, extra }: TermCounts): number {
  return title + text + extra
}
