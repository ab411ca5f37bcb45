import type { Candidate } from "../index/index-store.ts"
import { isSequence } from "./rank-signals.ts"
import { rankWeights } from "./rank-weights.ts"

/**
 * What each candidate gains from its neighbours in a conversation or history: the answer often stands beside the words that were asked for.
 * Of the two at each distance the better lends; one that scores below the mean lends nothing.
 */
export function lendToNeighbours(candidates: readonly Candidate[], scores: Float64Array): Float64Array {
  const places = new Map<string, number>()
  candidates.forEach(({ source, origin, position }, at) => {
    if (isSequence(source)) places.set(`${position} ${origin}`, at)
  })
  const scoreAt = (position: number, origin: string) =>
    Math.max(0, scores[places.get(`${position} ${origin}`) ?? -1] ?? 0)
  const { beside, oneFurther } = rankWeights.neighbours
  return Float64Array.from(candidates, ({ source, origin, position }) => {
    if (!isSequence(source)) return 0
    const near = Math.max(scoreAt(position - 1, origin), scoreAt(position + 1, origin))
    const further = Math.max(scoreAt(position - 2, origin), scoreAt(position + 2, origin))
    return beside * near + oneFurther * further
  })
}
