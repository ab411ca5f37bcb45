import type { Entry } from "../../formats/entry.ts"

/** Two similar entries of one type; `similarity` is their share of common words. */
export type NearDuplicate = { one: string; other: string; similarity: number }

export type Comparable = { id: string; entry: Entry }

const threshold = 0.85
const fewestWords = 5
const mostCompared = 50

/**
 * Finds pairs whose words overlap by 85 % or more (Jaccard) without comparing all pairs: such sets share one of their rarest
 * words, so only entries that share one are compared, and if very many do, only the newest of them.
 */
export function findNearDuplicates(
  items: readonly Comparable[],
  isOfInterest: (one: string, other: string) => boolean,
): NearDuplicate[] {
  const sets = items.map(({ entry }) => wordsOf(entry))
  const frequency = new Map<string, number>()
  for (const words of sets) for (const word of words) frequency.set(word, (frequency.get(word) ?? 0) + 1)
  const rarestFirst = (one: string, other: string) =>
    (frequency.get(one) ?? 0) - (frequency.get(other) ?? 0) || (one < other ? -1 : 1)
  const byRareWord = new Map<string, number[]>()
  const found: NearDuplicate[] = []
  for (const [index, words] of sets.entries()) {
    if (words.size < fewestWords) continue
    const item = items[index] as Comparable
    const sorted = [...words].sort(rarestFirst)
    const rare = sorted.slice(0, words.size - Math.ceil(threshold * words.size) + 1)
    const compared = new Set<number>()
    for (const word of rare) {
      const key = `${item.entry.type} ${word}`
      const earlier = byRareWord.get(key) ?? []
      for (const candidate of earlier.slice(-mostCompared)) {
        const other = items[candidate] as Comparable
        if (compared.has(candidate) || other.id === item.id || !isOfInterest(other.id, item.id)) continue
        compared.add(candidate)
        const similarity = overlap(words, sets[candidate] as Set<string>)
        if (similarity >= threshold)
          found.push({ one: other.id, other: item.id, similarity: Math.round(similarity * 100) / 100 })
      }
      if (earlier.push(index) === 1) byRareWord.set(key, earlier)
    }
  }
  return found
}

/** The share of words that two entries have in common. */
export function likenessOf(one: Entry, other: Entry): number {
  const [words, others] = [wordsOf(one), wordsOf(other)]
  const shared = [...words].filter((word) => others.has(word)).length
  const all = words.size + others.size - shared
  return all === 0 ? 0 : Math.round((shared / all) * 100) / 100
}

function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const [small, large] = one.size < other.size ? [one, other] : [other, one]
  if (small.size < threshold * large.size) return 0
  let shared = 0
  for (const word of small) if (large.has(word)) shared++
  return shared / (one.size + other.size - shared)
}

function wordsOf(entry: Entry): Set<string> {
  const text = [entry.title, entry.summary, entry.details ?? "", entry.rationale ?? ""].join(" ")
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
}
