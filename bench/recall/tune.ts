import { rank, rankWeights } from "../../src/recall/search/ranking.ts"
import type { Query } from "./data.ts"
import { loadDataSet } from "./load-data-sets.ts"
import { mean, recallAt, reciprocalRank } from "./metrics.ts"
import { type Kept, keepFounds, type Means, seenWith } from "./tune-founds.ts"
import { openVectors } from "./vectors.ts"

/**
 * Prints what each weight of the ranking does when it is moved to both sides, on the development half and on the other one:
 * run-ts bench/recall/tune.ts DATA [VECTORS]. Without a folder of MiniLM's vectors for words and the table only.
 */
const [folder = "", vectorsFolder] = process.argv.slice(2)
const vectors = vectorsFolder === undefined ? undefined : openVectors(vectorsFolder)
const names = ["squad", "adr", "locomo-turn", "memorycode"]
const means: Means[] = vectors ? ["words", "cold", "resident"] : ["words", "cold"]

/** Where a set has thousands of queries of one kind, every third will do. */
const enough = (queries: Query[]) => (queries.length > 60 ? queries.filter((_, at) => at % 3 === 0) : queries)

const kept = new Map<string, Kept[]>()
for (const name of names) {
  const { stores, queries } = loadDataSet(folder, name)
  kept.set(
    name,
    await keepFounds(stores, (store) => enough(queries.filter((query) => query.store === store.name)), vectors),
  )
}

type Group = Record<string, number>
const groups: Record<string, Group> = {
  meaning: rankWeights.meaning,
  neighbours: rankWeights.neighbours,
}

for (const each of means) {
  const seen = new Map([...kept].map(([name, found]) => [name, found.map((one) => seenWith(each, one))]))
  tell(`${each}: as it is`, seen)
  for (const [name, group] of Object.entries(groups)) {
    for (const [key, value] of Object.entries(group)) {
      for (const factor of [0.7, 1.4]) {
        group[key] = value * factor
        tell(`${each}: ${name}.${key} ${(value * factor).toPrecision(2)}`, seen)
      }
      group[key] = value
    }
  }
}

function tell(what: string, seen: Map<string, Kept[]>): void {
  const cells = [...seen].map(
    ([name, found]) => `${name} ${(["development", "test"] as const).map((half) => score(found, half)).join(" | ")}`,
  )
  console.log(`${what.padEnd(40)} ${cells.join("   ")}`)
}

/** Mean of MRR and R@10 over the queries of one half. */
function score(found: Kept[], half: string): string {
  const judged = found
    .filter(({ split }) => split === half)
    .map(({ query, found }) => ({ ranked: rank(found).map(({ candidate }) => candidate.id), relevant: query.relevant }))
  const values = judged.map((one) => ((reciprocalRank.of(one) ?? 0) + (recallAt(10).of(one) ?? 0)) / 2)
  return values.length === 0 ? "–" : mean(values).toFixed(3)
}
