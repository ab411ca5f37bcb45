import { openTokenCounter } from "../../src/recall/sync/synced-recall.ts"
import { boundTokens } from "../../src/recall/token-count.ts"
import { wholeText } from "./data.ts"
import { dataSetNames, loadDataSet } from "./load-data-sets.ts"

/** Prints how far the bound of a cold process lies above the true count, over all documents of all data sets. */
export async function printTokenBound(folder: string): Promise<void> {
  const exactTokens = await openTokenCounter()
  const texts = new Set<string>() // the same document is in several stores
  for (const name of dataSetNames) {
    for (const { documents } of loadDataSet(folder, name).stores) {
      for (const document of documents) texts.add(wholeText(document))
    }
  }
  texts.delete("")

  let below = 0
  let boundTotal = 0
  let exactTotal = 0
  const excesses: number[] = []
  for (const text of texts) {
    const bound = boundTokens(text)
    const exact = exactTokens(text)
    if (bound < exact) below++
    boundTotal += bound
    exactTotal += exact
    excesses.push(bound / exact - 1)
  }
  excesses.sort((one, other) => one - other)
  const mean = excesses.reduce((sum, excess) => sum + excess, 0) / excesses.length
  const p95 = excesses[Math.floor(excesses.length * 0.95)] ?? 0

  console.log("Token bound of a cold process against o200k_base; excess = bound / true count - 1, per document")
  console.log(`  n ${texts.size}, below the true count ${percent(below / texts.size)}`)
  console.log(
    `  excess: mean ${percent(mean)}, p95 ${percent(p95)}, of all tokens together ${percent(boundTotal / exactTotal - 1)}`,
  )
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}
