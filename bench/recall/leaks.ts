import type { Arm, OpenedStore } from "./arm.ts"
import type { Document, Split, Store } from "./data.ts"
import { type HandRepository, loadHandRepositories } from "./hand-repositories.ts"
import { leakShare, mean, recallAt } from "./metrics.ts"
import { printColumns } from "./print-table.ts"
import { splits } from "./select-queries.ts"

/**
 * All repositories in one store, each repository's records its agent's own. Every hand-written question is asked by the agent
 * of its repository, as of the day of the newest record that answers it; what is another agent's or came later is a leak.
 */
export async function printLeaks(arms: Arm[], folder: string): Promise<void> {
  for (const split of splits) {
    const repositories = loadHandRepositories(folder, split)
    const store = pool(repositories, split)
    const questions = repositories.reduce((count, repository) => count + repository.questions.length, 0)
    console.log(`\n## Leaks: all repositories pooled, scoped questions · ${split} · n = ${questions}\n`)
    const rows: string[][] = []
    for (const arm of arms) rows.push([arm.name, ...(await measure(arm, store, repositories))])
    printColumns([["arm", "leak by agent", "leak by time", "R@10"], ...rows])
  }
  console.log("\n- leak: share of the first 10 results that belong to another agent, or are younger than the question.")
  console.log("- An arm that knows neither agents nor time searches everything.")
}

/** Ids are unique within a repository only. */
const pooledId = (repository: string, id: string) => `${repository}/${id}`

function pool(repositories: HandRepository[], split: Split): Store {
  const documents = repositories.flatMap(({ store }) => {
    return store.documents.map((document): Document => {
      const { name } = store
      return {
        ...document,
        id: pooledId(name, document.id),
        agent: name.toLowerCase(),
        origin: `${name}/${document.origin}`,
      }
    })
  })
  return { name: `pooled, ${split}`, documents, split }
}

async function measure(arm: Arm, store: Store, repositories: HandRepository[]): Promise<string[]> {
  let opened: OpenedStore
  try {
    opened = await arm.open(store)
  } catch (error) {
    if (arm.kind !== "peer") throw error
    return [error instanceof Error ? error.message : String(error)]
  }
  const known = new Map(store.documents.map((document) => [document.id, document]))
  const byAgent: number[] = []
  const byTime: number[] = []
  const recall: number[] = []
  for (const repository of repositories) {
    const agent = repository.store.name.toLowerCase()
    for (const { text, relevant: own } of repository.questions) {
      const relevant = own.map((id) => pooledId(repository.store.name, id))
      const asOf = Math.max(...relevant.map((id) => known.get(id)?.at ?? 0))
      const results = await opened.search(text, 10, asOf > 0 ? { agent, asOf } : { agent })
      byAgent.push(leakShare(results, (id) => known.get(id)?.agent === agent))
      byTime.push(leakShare(results, (id) => asOf === 0 || (known.get(id)?.at ?? 0) <= asOf))
      recall.push(recallAt(10).of({ ranked: results.map(({ id }) => id), relevant }) ?? 0)
    }
  }
  await opened.close()
  return [byAgent, byTime, recall].map((values) => (mean(values) * 100).toFixed(1))
}
