import type { Candidate, QueryTerm } from "../index/index-store.ts"
import { k1 } from "../index/score-words.ts"
import { rankWeights } from "./rank-weights.ts"

/**
 * Whether an item answers the request at all, 0 to 1, whatever else was found: a logistic function of the share of the request's words
 * that it holds, how strongly it holds them, and its likeness. One set of coefficients for each model, since thresholds do not carry over.
 */
export function relevanceOf(
  { coverage, words, minilm, static: table }: Candidate,
  terms: readonly QueryTerm[],
): number {
  const model = minilm !== undefined ? "minilm" : table !== undefined ? "static" : "none"
  const { base, covered, strength, likeness } = rankWeights.relevance[model]
  const most = terms.reduce((sum, { idf }) => sum + idf, 0) * (k1 + 1)
  const held = most === 0 ? 0 : words / most
  return 1 / (1 + Math.exp(-(base + covered * coverage + strength * held + likeness * (minilm ?? table ?? 0))))
}
