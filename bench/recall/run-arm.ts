import type { Arm, Hit } from "./arm.ts"
import type { Query, Store } from "./data.ts"

export type Answer = { query: Query; hits: Hit[] }

/** What one arm answered; an arm that could not be run says why. */
export type Run = { arm: Arm; answers: Answer[]; failure?: string }

/** As deep as any metric looks. */
const depth = 100

/** Asks an arm the queries, store by store. A peer that fails is noted, since the run is about the others too. */
export async function runArm(arm: Arm, stores: Store[], queries: Query[]): Promise<Run> {
  try {
    return { arm, answers: await askAll(arm, stores, queries) }
  } catch (error) {
    if (arm.kind !== "peer") throw error
    return { arm, answers: [], failure: error instanceof Error ? error.message : String(error) }
  }
}

async function askAll(arm: Arm, stores: Store[], queries: Query[]): Promise<Answer[]> {
  const answers: Answer[] = []
  for (const store of stores) {
    const own = queries.filter((query) => query.store === store.name)
    if (own.length === 0) continue
    const opened = await arm.open(store)
    try {
      for (const query of own) answers.push({ query, hits: await opened.search(query.text, depth) })
    } finally {
      await opened.close()
    }
  }
  return answers
}
