import type { Candidate, Found } from "../index/index-store.ts"
import { lendToNeighbours } from "./rank-neighbours.ts"
import { relevanceOf } from "./rank-relevance.ts"
import { scoreSignals } from "./rank-signals.ts"
import { orderBySuccession } from "./rank-succession.ts"

export type Signals = Pick<Candidate, "words" | "coverage" | "static" | "minilm"> & {
  /** What neighbours in the same conversation or history lent, in the score's unit. */
  neighbours: number
}

export type Ranked = {
  candidate: Candidate
  /** Orders the candidates of one request; says nothing across requests. */
  score: number
  /** Whether it answers the request at all, 0 to 1; comparable across requests. */
  relevance: number
  /** Whether that is enough to be handed out unasked. */
  qualifies: boolean
  signals: Signals
}

/** The candidates, best first: by words and meaning, what stands beside a hit, and what has replaced what. */
export function rank({ candidates, terms }: Found): Ranked[] {
  const own = scoreSignals(candidates, terms.length)
  const lent = lendToNeighbours(candidates, own)
  const ranked = candidates.map((candidate, at): Ranked => {
    const { words, coverage, static: table, minilm } = candidate
    const neighbours = lent[at] as number
    return {
      candidate,
      score: (own[at] as number) + neighbours,
      ...relevanceOf(candidate),
      signals: { words, coverage, static: table, minilm, neighbours },
    }
  })
  return orderBySuccession(ranked)
}
