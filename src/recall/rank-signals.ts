import type { Candidate } from "../index/index-store.ts"
import type { ItemSource } from "../index/item.ts"
import { rankWeights } from "./rank-weights.ts"

/**
 * The score of each candidate by words and meaning: how far it stands out from the others by each, added up.
 * Standing out counts, not the size: one clear hit by either signal wins over many that are equally good by the other.
 */
export function scoreSignals(candidates: readonly Candidate[], terms: number): Float64Array {
  const words = candidates.map(({ words }) => words)
  const meaning = candidates.map(meaningOf)
  const first = [...new Set([...bestOf(words), ...bestOf(meaning)])]
  const byWords = standardScores(words, first)
  const byMeaning = standardScores(meaning, first)
  const fading = Math.min(1, rankWeights.meaning.fewWords / Math.max(1, terms))
  return Float64Array.from(candidates, ({ source }, at) => {
    const weight = isSequence(source) ? rankWeights.meaning.sequences : rankWeights.meaning.records
    return (byWords[at] as number) + weight * fading * (byMeaning[at] as number)
  })
}

/** The finest model that speaks; one ranking never mixes two. */
export function meaningOf({ minilm, static: table }: Candidate): number | undefined {
  return minilm ?? table
}

/** Whether items of a source follow from one another, so that the answer may stand beside the question. */
export function isSequence(source: ItemSource): boolean {
  return source === "history" || source === "session"
}

/** So many of the best by each signal tell what is usual: how many more were asked for must not change their order. */
const mostCompared = 100

function bestOf(values: readonly (number | undefined)[]): number[] {
  const places = values.map((_, at) => at)
  if (places.length <= mostCompared) return places
  return places.sort((one, other) => (values[other] ?? -1) - (values[one] ?? -1) || one - other).slice(0, mostCompared)
}

/** Deviations from the mean of those at the places given, in units of their standard deviation; a candidate without a value counts as the least. */
export function standardScores(
  values: readonly (number | undefined)[],
  places: readonly number[] = values.map((_, at) => at),
): Float64Array {
  const known = values.filter((value) => value !== undefined)
  if (known.length === 0) return new Float64Array(values.length)
  const least = known.reduce((one, other) => Math.min(one, other))
  const filled = Float64Array.from(values, (value) => value ?? least)
  const usual = Float64Array.from(places, (at) => filled[at] as number)
  const mean = usual.reduce((sum, value) => sum + value, 0) / usual.length
  const variance = usual.reduce((sum, value) => sum + (value - mean) ** 2, 0) / usual.length
  const deviation = Math.sqrt(variance)
  return deviation < 1e-9 ? new Float64Array(values.length) : filled.map((value) => (value - mean) / deviation)
}
