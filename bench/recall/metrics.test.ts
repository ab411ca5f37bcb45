import { expect, test } from "vitest"
import { bootstrap } from "./bootstrap.ts"
import {
  budgetRecall,
  currentFirst,
  hitAt,
  leakShare,
  mean,
  ndcgAt10,
  recallAt,
  reciprocalRank,
  staleAboveCurrent,
} from "./metrics.ts"
import { sample, seededRandom } from "./seeded-random.ts"

const judged = { ranked: ["a", "b", "c", "d"], relevant: ["b", "d", "x"] }

test("strict recall counts evidence that is not among the results", () => {
  expect(recallAt(2).of(judged)).toBeCloseTo(1 / 3)
  expect(recallAt(10).of(judged)).toBeCloseTo(2 / 3)
  expect(hitAt(1).of(judged)).toBe(0)
  expect(hitAt(2).of(judged)).toBe(1)
})

test("the reciprocal rank is that of the first evidence, and nothing without any", () => {
  expect(reciprocalRank.of(judged)).toBe(0.5)
  expect(reciprocalRank.of({ ranked: ["a"], relevant: ["b"] })).toBe(0)
})

test("NDCG is one when all the evidence comes first", () => {
  expect(ndcgAt10.of({ ranked: ["b", "a", "c"], relevant: ["a", "b"] })).toBe(1)
  expect(ndcgAt10.of({ ranked: ["c", "a"], relevant: ["a"] })).toBeCloseTo(1 / Math.log2(3))
})

test("an outdated item counts as above when the valid one is missing, not when both are", () => {
  expect(staleAboveCurrent.of({ ranked: ["old", "new"], relevant: ["new"], stale: ["old"] })).toBe(1)
  expect(staleAboveCurrent.of({ ranked: ["new", "old"], relevant: ["new"], stale: ["old"] })).toBe(0)
  expect(staleAboveCurrent.of({ ranked: ["old"], relevant: ["new"], stale: ["old"] })).toBe(1)
  expect(staleAboveCurrent.of({ ranked: [], relevant: ["new"], stale: ["old"] })).toBe(0)
  expect(staleAboveCurrent.of({ ranked: ["new"], relevant: ["new"] })).toBeUndefined()
  expect(currentFirst.of({ ranked: ["new", "old"], relevant: ["new"], stale: ["old"] })).toBe(1)
  expect(currentFirst.of({ ranked: [], relevant: ["new"], stale: ["old"] })).toBe(0)
})

test("a document larger than the rest of the budget is skipped for the next", () => {
  const tokens: Record<string, number> = { a: 60, b: 70, c: 30, d: 10 }
  const tokensOf = (id: string) => tokens[id] ?? 0
  expect(budgetRecall(100).of({ ...judged, tokensOf })).toBeCloseTo(1 / 3)
})

test("a leak is the share of results that may not be seen", () => {
  expect(leakShare([{ id: "mine" }, { id: "theirs" }], (id) => id === "mine")).toBe(0.5)
  expect(leakShare([], () => false)).toBe(0)
})

test("the bootstrap interval is the same in every run and holds the mean", () => {
  const random = seededRandom(7)
  const differences = Array.from({ length: 200 }, () => random() - 0.4)
  const interval = bootstrap(differences)
  expect(interval).toEqual(bootstrap(differences))
  expect(interval.low).toBeLessThan(mean(differences))
  expect(interval.high).toBeGreaterThan(mean(differences))
  expect(interval.high - interval.low).toBeCloseTo(2 * 1.96 * Math.sqrt(1 / 12 / 200), 2)
})

test("a sample keeps the order and is the same for the same seed", () => {
  const items = Array.from({ length: 50 }, (_, index) => index)
  const drawn = sample(items, 10)
  expect(drawn).toEqual(sample(items, 10))
  expect(drawn).toEqual([...drawn].sort((a, b) => a - b))
  expect(new Set(drawn).size).toBe(10)
})
