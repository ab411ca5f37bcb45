import type { Ask, PostgresDriver, Reach } from "../disk/postgres/driver.ts"
import type { Policy } from "../formats/policy.ts"
import { indexMemories } from "../index/postgres/index-memories.ts"
import { type PostgresIndex, postgresIndex } from "../index/postgres/postgres-index.ts"
import { itemOfMemory } from "../recall/learned-items.ts"
import type { RecallParts } from "../recall/recall-parts.ts"
import type { LearnedStore } from "../store/learned-store.ts"
import { memoriesByIds } from "../store/memory-rows.ts"
import { answerOf } from "../store/postgres/postgres-session.ts"
import { postgresStore } from "../store/postgres/postgres-store.ts"
import type { StoreEmbedder } from "../store/similarity.ts"
import { awaitSteps, type Steps } from "../store/steps.ts"

/** What makes vectors and counts tokens, the same for all tenants of a process. */
export type MemoryParts = {
  embed: StoreEmbedder | undefined
  countTokens: (text: string) => number
  /** The settings of retrieval, with the thresholds for the embedder. */
  settings: Policy["retrieval"]
  now: () => Date
}

/** The memories of one tenant; whatever changes them, words and vectors change in the same transaction. */
export function tenantStore(driver: PostgresDriver, reach: Reach, { embed }: Pick<MemoryParts, "embed">): LearnedStore {
  return postgresStore(driver, reach, { ...(embed ? { embed } : {}), behindWrite: indexMemories })
}

/** Takes steps of the learned store within a transaction that is open; whoever changes memories calls `indexMemories` behind them. */
export function stepsOn<Result>(ask: Ask, steps: Steps<Result>): Promise<Result> {
  return awaitSteps((step) => answerOf(ask, step), steps)
}

/** What finds the memories of a project, or of the whole tenant, within a transaction that is open. */
export function tenantIndex(ask: Ask, project: string | undefined): PostgresIndex {
  return postgresIndex(ask, {
    project,
    async itemsOf(within, ids) {
      const memories = await stepsOn(within, memoriesByIds(ids))
      return new Map(memories.map((memory) => [memory.id, itemOfMemory(memory)]))
    },
  })
}

/** What `search` and `buildContext` work with, within a transaction that is open. */
export function tenantRecall(
  ask: Ask,
  project: string | undefined,
  { embed, countTokens, settings, now }: MemoryParts,
): RecallParts & { index: PostgresIndex } {
  return {
    index: tenantIndex(ask, project),
    embedNow: embed && ((text) => embed.vector(text)),
    embedDeep: undefined,
    countTokens,
    now,
    learned: { settings, useCounts: (ids) => useCounts(ask, ids) },
  }
}

async function useCounts(ask: Ask, ids: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await ask(
    "SELECT memory_id, use_count FROM memory_metrics WHERE use_count > 0 AND memory_id IN (SELECT value FROM drey_each($1))",
    [JSON.stringify(ids)],
  )
  return new Map(rows.map(({ memory_id, use_count }) => [String(memory_id), Number(use_count)]))
}
