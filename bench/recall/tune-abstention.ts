import { rank } from "../../src/recall/rank.ts"
import { rankWeights } from "../../src/recall/rank-weights.ts"
import { loadDataSet } from "./load-data-sets.ts"
import { mean, recallAt } from "./metrics.ts"
import { type Kept, keepFounds, type Means, seenWith } from "./tune-founds.ts"
import { openVectors } from "./vectors.ts"

/**
 * Prints what abstaining costs: hand-written questions asked in their own store and in those of other repositories, where nothing answers
 * them, for several thresholds: run-ts bench/recall/tune-abstention.ts DATA [VECTORS].
 */
const [folder = "", vectorsFolder] = process.argv.slice(2)
const vectors = vectorsFolder === undefined ? undefined : openVectors(vectorsFolder)
const byHand = new Set(["task", "question", "symptom", "current"])

const sets = ["squad", "adr"].map((name) => loadDataSet(folder, name))
const questions = sets.flatMap(({ queries }) => queries.filter(({ kind }) => byHand.has(kind)))
const asked = new Set(questions.map(({ store }) => store))
const stores = sets.flatMap((set) => set.stores).filter(({ name }) => asked.has(name))
const own = await keepFounds(stores, ({ name }) => questions.filter(({ store }) => store === name), vectors)
const foreign = await keepFounds(stores, ({ name }) => questions.filter(({ store }) => store !== name), vectors)

const means: Means[] = vectors ? ["words", "cold", "resident"] : ["words", "cold"]
const thresholds: { first: number; others: number } = rankWeights.relevance
const frozen = { ...thresholds }
for (const each of means) {
  for (const half of ["development", "test"] as const) {
    for (const first of [0, 0.2, 0.3, 0.4, frozen.first, 0.6, 0.7]) {
      thresholds.first = first
      thresholds.others = (first * frozen.others) / frozen.first
      const mine = own.filter(({ split }) => split === half).map((kept) => seenWith(each, kept))
      const theirs = foreign.filter(({ split }) => split === half).map((kept) => seenWith(each, kept))
      const silent = mean(theirs.map((kept) => Number(qualifying(kept).length === 0)))
      const answered = mean(mine.map((kept) => Number(qualifying(kept).length > 0)))
      const recall = mean(
        mine.map((kept) => recallAt(5).of({ ranked: qualifying(kept), relevant: kept.query.relevant }) ?? 0),
      )
      const row = { means: each, half, threshold: first, silent, answered, recall }
      console.log(
        Object.entries(row)
          .map(([name, value]) => `${name} ${typeof value === "number" ? value.toFixed(2) : value}`)
          .join("  "),
      )
    }
  }
}

function qualifying({ found }: Kept): string[] {
  return rank(found).flatMap(({ candidate, qualifies }) => (qualifies ? [candidate.id] : []))
}
