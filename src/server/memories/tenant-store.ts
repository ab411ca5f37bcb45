import type { PostgresDriver, RunQuery, TenantScope } from "../../disk/postgres/driver.ts"
import { numberArray } from "../../disk/postgres/sql.ts"
import type { Policy } from "../../formats/policy.ts"
import { indexMemories } from "../../index/postgres/memory-indexer.ts"
import type { LoadedMemory } from "../../index/postgres/memory-search.ts"
import { type PostgresIndex, postgresIndex } from "../../index/postgres/postgres-index.ts"
import type { LearnedStore } from "../../memories/learned-store.ts"
import type { Memory } from "../../memories/memory.ts"
import { type MemoryRow, memoryColumns, toMemory } from "../../memories/memory-rows.ts"
import { postgresStore, stepResultOf } from "../../memories/postgres/postgres-store.ts"
import type { StoreEmbedder } from "../../memories/similarity.ts"
import { awaitSteps, type Steps } from "../../memories/steps.ts"
import { itemOfMemory } from "../../recall/payload.ts"
import type { RecallParts } from "../../recall/recall-parts.ts"

/** What makes vectors and counts tokens, the same for all tenants of a process. */
export type MemoryParts = {
  embed: StoreEmbedder | undefined
  countTokens: (text: string) => number
  /** The settings of retrieval, with the thresholds for the embedder. */
  settings: Policy["retrieval"]
  now: () => Date
}

/** The memories of one tenant; whenever they change, words and vectors change in the same transaction. */
export function tenantStore(
  driver: PostgresDriver,
  reach: TenantScope,
  { embed }: Pick<MemoryParts, "embed">,
): LearnedStore {
  return postgresStore(driver, reach, { ...(embed ? { embed } : {}), behindWrite: indexMemories })
}

/** Runs steps of the learned store within an open transaction; callers that change memories call `indexMemories` afterwards. */
export function stepsOn<Result>(ask: RunQuery, steps: Steps<Result>): Promise<Result> {
  return awaitSteps((step) => stepResultOf(ask, step), steps)
}

type LoadedRow = MemoryRow & { row_no: number; embedding: Uint8Array | null }

async function loadMemories(ask: RunQuery, numbers: readonly number[]): Promise<(LoadedMemory & { memory: Memory })[]> {
  const { rows } = await ask(
    `SELECT ${memoryColumns}, row_no, embedding FROM memories JOIN memory_metrics USING (memory_id) WHERE row_no = ANY ($1::integer[])`,
    [numberArray(numbers)],
  )
  return (rows as LoadedRow[]).map((row) => {
    const memory = toMemory(row)
    return { memory, row: row.row_no, item: itemOfMemory(memory), key: row.key, embedding: row.embedding }
  })
}

/** What `search` and `buildContext` work with, within a transaction that is open; `loaded` is every memory that was come upon, by id. */
export function tenantRecall(
  ask: RunQuery,
  project: string | undefined,
  { embed, countTokens, settings, now }: MemoryParts,
): RecallParts & { index: PostgresIndex; loaded: ReadonlyMap<string, Memory> } {
  const loaded = new Map<string, Memory>()
  const index = postgresIndex(ask, {
    project,
    async load(within, numbers) {
      const memories = await loadMemories(within, numbers)
      for (const { memory } of memories) loaded.set(memory.id, memory)
      return memories
    },
  })
  const useCounts = async (ids: readonly string[]) =>
    new Map(ids.map((id) => [id, loaded.get(id)?.metrics.useCount ?? 0]))
  return {
    index,
    loaded,
    embedNow: embed && ((text) => embed.vector(text)),
    embedDeep: undefined,
    countTokens,
    now,
    learned: { settings, useCounts },
  }
}
