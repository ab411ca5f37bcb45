import { blankWords } from "./blank-words.ts"
import { clearNote } from "./clear-words.ts"
import { memoriesByIds } from "./memory-rows.ts"
import { refreshMetrics } from "./refresh-metrics.ts"
import { all, run, type Steps } from "./steps.ts"
import { changeMemory } from "./write-memory.ts"

export type Forgetting = { purge: boolean; reason: string; now: string }

/** Ends memories; `purge` removes everything but their ids and text hashes. Returns the ids that existed. */
export function* forgetMemories(ids: readonly string[], { purge, reason, now }: Forgetting): Steps<string[]> {
  const known = yield* memoriesByIds([...new Set(ids)])
  const found = known.filter(({ status }) => purge || status !== "deprecated")
  const note = { action: "forgotten", reason: clearNote(reason), now }
  for (const { id } of found) {
    if (purge) yield* purgeMemory(id, now)
    else yield* changeMemory(id, { status: "deprecated" }, note)
  }
  return found.map(({ id }) => id)
}

/**
 * Removes the row with its evidence, uses and metrics, its text in the source episodes, and the memories it refined.
 */
function* purgeMemory(id: string, now: string): Steps<void> {
  const line = yield* lineOf(id)
  yield* blankWords(line)
  const ids = JSON.stringify(line)
  yield* run(
    `INSERT INTO tombstones (memory_id, text_hash, project_id, purged_at)
     SELECT memory_id, text_hash, project_id, ? FROM memories WHERE memory_id IN (SELECT value FROM json_each(?))
     ON CONFLICT DO NOTHING`,
    now,
    ids,
  )
  const heirs = yield* all<{ id: string }>("SELECT memory_id AS id FROM memories WHERE derived_from = ?", id)
  yield* run("DELETE FROM memory_audit WHERE memory_id IN (SELECT value FROM json_each(?))", ids)
  yield* run("DELETE FROM memories WHERE memory_id IN (SELECT value FROM json_each(?))", ids)
  yield* refreshMetrics(heirs.map((heir) => heir.id))
}

/** A memory and the memories it was derived from. */
function* lineOf(id: string): Steps<string[]> {
  const rows = yield* all<{ id: string }>(
    `WITH RECURSIVE line (id) AS (
       SELECT memory_id FROM memories WHERE memory_id = ?
       UNION SELECT derived_from FROM memories JOIN line ON memory_id = line.id WHERE derived_from IS NOT NULL
     ) SELECT id FROM line`,
    id,
  )
  return rows.map((row) => row.id)
}
