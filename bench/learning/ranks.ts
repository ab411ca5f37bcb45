import { builtInPolicy } from "../../src/formats/policy.ts"
import type { Memory } from "../../src/memories/memory.ts"
import type { Worth } from "./simulated-world.ts"

/** By what the three memories of a context are chosen; `noise` has a standard deviation of 1. */
export type Rank = { name: string; words: string; score(memory: Memory, worth: Worth, noise: number): number }

/** By how much the rank tells one memory from another, in standard deviations of its noise. */
const known = 2

export const ranks: Rank[] = [
  {
    name: "the rank knows what is useful",
    words: `useful memories score ${known} standard deviations of the noise above all others`,
    score: (_, worth, noise) => (worth === "useful" ? known : 0) + noise,
  },
  {
    name: "the rank knows what is relevant to the task, not what is true",
    words: `useful and harmful memories alike score ${known} standard deviations above useless ones`,
    score: (_, worth, noise) => bearing(worth) + noise,
  },
  {
    name: "the same, and what is active comes first",
    words: "as before, with the policy's weights: similarity (mean 0.5, deviation 0.1), status, tier, use",
    score: (memory, worth, noise) => weighed(memory, 0.5 + 0.1 * (bearing(worth) + noise)),
  },
  {
    name: "the rank knows nothing",
    words: "pure noise: which memories are handed out says nothing about them, and only hits and misses tell",
    score: (_, __, noise) => noise,
  },
]

function bearing(worth: Worth): number {
  return worth === "useless" ? 0 : known
}

function weighed({ status, tier, metrics }: Memory, similarity: number): number {
  const weights = builtInPolicy.retrieval.weights
  const isActive = status === "active"
  return (
    weights.semantic_similarity * similarity +
    weights.status_active_boost * Number(isActive) +
    weights.tier_boost * Number(isActive && tier === "long_term") +
    weights.use_count_factor * Math.min(1, Math.log(1 + metrics.useCount) / Math.log(21))
  )
}
