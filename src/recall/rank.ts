import type { Candidate, Found } from "../index/index-store.ts"
import { lendToNeighbours } from "./rank-neighbours.ts"
import { relevanceOf } from "./rank-relevance.ts"
import { scoreSignals } from "./rank-signals.ts"
import { orderBySuccession } from "./rank-succession.ts"
import { rankWeights } from "./rank-weights.ts"

export type Signals = Pick<Candidate, "words" | "coverage" | "static" | "minilm"> & {
  /** The score lent by neighbours in the same conversation or history. */
  neighbours: number
}

export type Ranked = {
  candidate: Candidate
  /** Orders the candidates of one request; not comparable across requests. */
  score: number
  /** Whether it answers the request at all, 0 to 1; comparable across requests. */
  relevance: number
  /** Whether that is enough to be included unasked. */
  qualifies: boolean
  signals: Signals
}

/** Ranks candidates by words and meaning, neighbours of hits, and succession; best first. */
export function rank({ candidates, terms }: Found): Ranked[] {
  const own = scoreSignals(candidates, terms.length)
  const lent = lendToNeighbours(candidates, own)
  const scored = candidates.map((candidate, at) => {
    const { words, coverage, static: table, minilm } = candidate
    const neighbours = lent[at] as number
    const signals: Signals = { words, coverage, static: table, minilm, neighbours }
    return { candidate, score: (own[at] as number) + neighbours, relevance: relevanceOf(candidate, terms), signals }
  })
  const ranked = orderBySuccession(scored)
  const { first, others } = rankWeights.relevance
  const isAnswered = (ranked[0]?.relevance ?? 0) >= first
  return ranked.map((item) => ({ ...item, qualifies: isAnswered && item.relevance >= others }))
}
