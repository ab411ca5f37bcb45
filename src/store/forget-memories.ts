import type { Database } from "../disk/sqlite.ts"
import { blankWords } from "./blank-words.ts"
import { clearNote } from "./clear-words.ts"
import { memoriesByIds } from "./memory-rows.ts"
import { refreshMetrics } from "./refresh-metrics.ts"
import { changeMemory } from "./write-memory.ts"

export type Forgetting = { purge: boolean; reason: string; now: string }

/** Ends memories; with `purge` nothing of them is left but their ids and hashes of what they said. Returns the ids of those there were. */
export function forgetMemories(
  database: Database,
  ids: readonly string[],
  { purge, reason, now }: Forgetting,
): string[] {
  const found = memoriesByIds(database, [...new Set(ids)]).filter(({ status }) => purge || status !== "deprecated")
  for (const { id } of found) {
    if (purge) purgeMemory(database, id, now)
    else changeMemory(database, id, { status: "deprecated" }, { action: "forgotten", reason: clearNote(reason), now })
  }
  return found.map(({ id }) => id)
}

/** Evidence, uses and sums go with the row, its words also out of what it was learned from, and with it the words that it refined. */
function purgeMemory(database: Database, id: string, now: string): void {
  const line = lineOf(database, id)
  blankWords(database, line)
  const ids = JSON.stringify(line)
  database
    .prepare(
      `INSERT OR IGNORE INTO tombstones (memory_id, text_hash, project_id, purged_at)
       SELECT memory_id, text_hash, project_id, ? FROM memories WHERE memory_id IN (SELECT value FROM json_each(?))`,
    )
    .run(now, ids)
  const heirs = database.prepare<{ id: string }>("SELECT memory_id AS id FROM memories WHERE derived_from = ?").all(id)
  database.prepare("DELETE FROM memory_audit WHERE memory_id IN (SELECT value FROM json_each(?))").run(ids)
  database.prepare("DELETE FROM memories WHERE memory_id IN (SELECT value FROM json_each(?))").run(ids)
  refreshMetrics(
    database,
    heirs.map((heir) => heir.id),
  )
}

/** A memory and those whose words it goes back to. */
function lineOf(database: Database, id: string): string[] {
  return database
    .prepare<{ id: string }>(
      `WITH RECURSIVE line (id) AS (SELECT ? UNION SELECT derived_from FROM memories JOIN line ON memory_id = line.id WHERE derived_from IS NOT NULL)
       SELECT id FROM line`,
    )
    .all(id)
    .map((row) => row.id)
}
