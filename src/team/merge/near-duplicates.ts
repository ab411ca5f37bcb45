import type { Entry } from "../../formats/entry.ts"
import { normalizeEntry } from "../../formats/entry-writer.ts"
import { derivedId } from "../../formats/ids.ts"
import { instantOf, timestampFromDate } from "../../formats/timestamp.ts"

/** Two similar entries of one type; `similarity` is their share of common words. */
export type NearDuplicateEntry = { one: string; other: string; similarity: number }

type ComparableEntry = { id: string; entry: Entry }

const threshold = 0.85
const fewestWords = 5
const mostCompared = 50

/**
 * Finds pairs whose words overlap by 85 % or more (Jaccard) without comparing all pairs: such sets share one of their rarest
 * words, so only entries that share one are compared, and if very many do, only the newest of them.
 */
export function findNearDuplicates(
  items: readonly ComparableEntry[],
  isOfInterest: (one: string, other: string) => boolean,
): NearDuplicateEntry[] {
  const sets = items.map(({ entry }) => wordsOf(entry))
  const frequency = new Map<string, number>()
  for (const words of sets) for (const word of words) frequency.set(word, (frequency.get(word) ?? 0) + 1)
  const rarestFirst = (one: string, other: string) =>
    (frequency.get(one) ?? 0) - (frequency.get(other) ?? 0) || (one < other ? -1 : 1)
  const byRareWord = new Map<string, number[]>()
  const found: NearDuplicateEntry[] = []
  for (const [index, words] of sets.entries()) {
    if (words.size < fewestWords) continue
    const item = items[index] as ComparableEntry
    const sorted = [...words].sort(rarestFirst)
    const rare = sorted.slice(0, words.size - Math.ceil(threshold * words.size) + 1)
    const compared = new Set<number>()
    for (const word of rare) {
      const key = `${item.entry.type} ${word}`
      const earlier = byRareWord.get(key) ?? []
      for (const candidate of earlier.slice(-mostCompared)) {
        const other = items[candidate] as ComparableEntry
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

export type Consolidation = { entry: Entry; id: string; originals: string[] }

/** Combines each group of near-duplicates into one entry with all authors, texts and rationales; it supersedes its originals. */
export function consolidate(
  pairs: readonly NearDuplicateEntry[],
  items: readonly ComparableEntry[],
  now: Date,
): Consolidation[] {
  const byId = new Map(items.map((item) => [item.id, item]))
  return groupsOf(pairs).map((ids, index) => {
    const group = ids
      .flatMap((id) => byId.get(id) ?? [])
      .sort((one, other) => instantOf(other.entry.timestamp) - instantOf(one.entry.timestamp))
    const [newest] = group as [ComparableEntry]
    const names = [...new Set(group.flatMap(({ entry }) => [entry.author, ...entry.contributors]))]
    const entry = normalizeEntry({
      type: newest.entry.type,
      timestamp: timestampFromDate(new Date(now.getTime() + index * 1000)),
      author: newest.entry.author,
      contributors: names.filter((name) => name !== newest.entry.author),
      title: `${newest.entry.title.replace(/ \(consolidated\)$/, "").slice(0, 105)} (consolidated)`,
      summary: newest.entry.summary,
      scope: newest.entry.scope,
      tags: group.flatMap((item) => item.entry.tags),
      details: group
        .map(({ entry: own }) => `#### ${own.title} — ${own.author}\n\n${own.details ?? own.summary}`)
        .join("\n\n"),
      rationale: [...new Set(group.flatMap(({ entry: own }) => own.rationale ?? []))].join("\n\n"),
      related: group.flatMap((item) => item.entry.related),
      supersedes: group.map(({ id }) => id),
    })
    return { entry, id: derivedId(entry), originals: group.map(({ id }) => id) }
  })
}

/** Groups pairs transitively. */
function groupsOf(pairs: readonly NearDuplicateEntry[]): string[][] {
  const groups: Set<string>[] = []
  for (const { one, other } of pairs) {
    const touching = groups.filter((group) => group.has(one) || group.has(other))
    const united = new Set([...touching.flatMap((group) => [...group]), one, other])
    for (const group of touching) groups.splice(groups.indexOf(group), 1)
    groups.push(united)
  }
  return groups.map((group) => [...group])
}
