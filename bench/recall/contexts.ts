import { buildContext } from "../../src/recall/context/context-builder.ts"
import { boundTokens } from "../../src/recall/token-count.ts"
import type { Query, Store } from "./data.ts"
import { openDeep, openTable } from "./drey-arms.ts"
import { type Embedders, openDreyStore } from "./drey-store.ts"
import { evidenceShown } from "./evidence-shown.ts"
import { loadDataSet } from "./load-data-sets.ts"
import { mean } from "./metrics.ts"
import { printColumns } from "./print-table.ts"
import type { Vectors } from "./vectors.ts"

const sets = ["amended-linked", "memorycode-linked", "squad", "adr"]
const budgets = [1000, 2000, 4000]
const byHand = ["task", "question", "symptom", "current", "amended"]

/** What agents are handed: whether the answer is in the context, and whether anything replaced is. */
export async function printContexts(folder: string, vectors: Vectors): Promise<void> {
  console.log("\n## Contexts: what is in the text an agent is handed\n")
  const table = await openTable()
  const arms: Record<string, Embedders> = {
    "Drey cold": { table },
    "Drey resident": { table, deep: await openDeep(vectors) },
  }
  const rows: string[][] = []
  for (const name of sets) {
    const { stores, queries } = loadDataSet(folder, name)
    const asked = name === "memorycode-linked" ? queries : queries.filter(({ kind }) => byHand.includes(kind))
    for (const [arm, embedders] of Object.entries(arms))
      rows.push([name, arm, ...(await measure(stores, asked, embedders, vectors))])
  }
  printColumns([
    [
      "set",
      "arm",
      "n",
      "replaced in it",
      ...budgets.map((budget) => `answer in ${budget}`),
      "passage",
      "empty",
      "tokens",
    ],
    ...rows,
  ])
  console.log("\n- replaced in it: contexts of 2,000 tokens with an item that a link says was replaced; must be 0.")
  console.log(
    "- answer in n: mean share of the evidence of which the summary or the nearest passage is in the context of n tokens; passage: the passage in 2,000.",
  )
  console.log("- empty: contexts without any item.")
}

async function measure(stores: Store[], queries: Query[], embedders: Embedders, vectors: Vectors): Promise<string[]> {
  const found = new Map(budgets.map((budget) => [budget, [] as number[]]))
  const passages: number[] = []
  const tokens: number[] = []
  let replaced = 0
  let empty = 0
  for (const store of stores) {
    const own = queries.filter((query) => query.store === store.name)
    if (own.length === 0) continue
    const gone = new Set(store.documents.flatMap(({ supersedes = [] }) => supersedes))
    const { parts, close } = await openDreyStore(store, embedders)
    for (const query of own) {
      for (const budget of budgets) {
        const { context } = await buildContext({ ...parts, countTokens: boundTokens }, { task: query.text, budget })
        const ids = new Set(context.included.map(({ id }) => id))
        const shown = await evidenceShown(context.text, query, store.documents, vectors)
        found.get(budget)?.push(shown.length / query.relevant.length)
        if (budget !== 2000) continue
        const quoted = await evidenceShown(context.text, query, store.documents, vectors, true)
        passages.push(quoted.length / query.relevant.length)
        if ([...ids].some((id) => gone.has(id))) replaced++
        if (ids.size === 0) empty++
        tokens.push(context.tokens)
      }
    }
    await close()
  }
  const shares = budgets.map((budget) => (mean(found.get(budget) ?? []) * 100).toFixed(1))
  const share = (count: number) => `${((count / tokens.length) * 100).toFixed(1)} %`
  const passage = (mean(passages) * 100).toFixed(1)
  return [String(tokens.length), share(replaced), ...shares, passage, share(empty), mean(tokens).toFixed(0)]
}
