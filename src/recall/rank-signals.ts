import type { Candidate } from "../index/index-store.ts"
import type { ItemSource } from "../index/item.ts"
import { rankWeights } from "./rank-weights.ts"

/**
 * The score of each candidate by words and meaning: how far it stands out from the others by each, added up.
 * Standing out counts, not the size: one clear hit by either signal wins over many that are equally good by the other.
 */
export function scoreSignals(candidates: readonly Candidate[], terms: number): Float64Array {
  const words = standardScores(candidates.map(({ words }) => words))
  const meaning = standardScores(candidates.map(meaningOf))
  const fading = Math.min(1, rankWeights.meaning.fewWords / Math.max(1, terms))
  return Float64Array.from(candidates, ({ source }, at) => {
    const weight = isSequence(source) ? rankWeights.meaning.sequences : rankWeights.meaning.records
    return (words[at] as number) + weight * fading * (meaning[at] as number)
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

/** Deviations from the mean in units of the standard deviation; a candidate without a value counts as the least of the others. */
export function standardScores(values: readonly (number | undefined)[]): Float64Array {
  const known = values.filter((value) => value !== undefined)
  if (known.length === 0) return new Float64Array(values.length)
  const least = known.reduce((one, other) => Math.min(one, other))
  const filled = Float64Array.from(values, (value) => value ?? least)
  const mean = filled.reduce((sum, value) => sum + value, 0) / filled.length
  const variance = filled.reduce((sum, value) => sum + (value - mean) ** 2, 0) / filled.length
  const deviation = Math.sqrt(variance)
  return deviation < 1e-9 ? new Float64Array(values.length) : filled.map((value) => (value - mean) / deviation)
}
