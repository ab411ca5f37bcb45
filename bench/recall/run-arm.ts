import type { Arm, Hit } from "./arm.ts"
import type { Query, Store } from "./data.ts"

/** `context` is the text that an agent is handed, of arms that make one. */
export type Answer = { query: Query; hits: Hit[]; context?: string; shown?: string[] }

/** What one arm answered; an arm that could not be run has the reason. */
export type Run = { arm: Arm; answers: Answer[]; failure?: string }

/** As deep as any metric looks. */
const depth = 100

/** The tokens of the contexts that are made. */
export const contextBudget = 2000

/**
 * Asks an arm the queries, store by store, and has it make contexts for some of them. A peer that fails is noted, since the run is about
 * the others too.
 */
export async function runArm(
  arm: Arm,
  stores: Store[],
  queries: Query[],
  withContext: ReadonlySet<Query> = new Set(),
): Promise<Run> {
  try {
    return { arm, answers: await askAll(arm, stores, queries, withContext) }
  } catch (error) {
    if (arm.kind !== "peer") throw error
    return { arm, answers: [], failure: error instanceof Error ? error.message : String(error) }
  }
}

async function askAll(arm: Arm, stores: Store[], queries: Query[], withContext: ReadonlySet<Query>): Promise<Answer[]> {
  const answers: Answer[] = []
  for (const store of stores) {
    const own = queries.filter((query) => query.store === store.name)
    if (own.length === 0) continue
    const opened = await arm.open(store)
    try {
      for (const query of own) {
        const answer: Answer = { query, hits: await opened.search(query.text, depth) }
        if (opened.context && withContext.has(query)) answer.context = await opened.context(query.text, contextBudget)
        answers.push(answer)
      }
    } finally {
      await opened.close()
    }
  }
  return answers
}
