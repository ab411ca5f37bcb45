import { countsIn, type TermCounts, type TermList } from "./term-list.ts"

/** The weight of a word by its field: title, text, extra, in the order of the full-text table. */
export const fieldWeights = { title: 4, text: 1, extra: 1.5 }

/** How slowly repetitions of a word saturate: records repeat their subject. */
export const k1 = 2
/** How much length counts against an item: logs contain reports that mention everything. */
const b = 0.9
/** This many words are free: among short turns the shorter one is not better. */
const freeLength = 40

/** BM25 of an item for all words of the request, and the share of the request's idf covered by the item's words. */
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

/** An item's length for scoring; averaged over all items. */
export function lengthOf({ title, text, extra }: TermCounts): number {
  return title + text + extra
}
