import type { Database } from "../disk/sqlite.ts"
import type { FlushReason } from "../episodes/episode.ts"
import { knownAs } from "./known-as.ts"
import type { Decision, SinceEvaluation } from "./learned-store.ts"
import { changeMemory } from "./write-memory.ts"

/** Changes states as decided and, for an evaluation, notes it; what changed since it was judged is left alone. Returns what was applied. */
export function applyDecisions(
  database: Database,
  project: string,
  decisions: readonly Decision[],
  now: string,
  isEvaluation: boolean,
): Decision[] {
  const id = knownAs(database, project)
  const isUnchanged = database.prepare(
    "SELECT 1 FROM memories WHERE memory_id = ? AND version = ? AND status <> 'deprecated'",
  )
  const applied = decisions.filter((decision) => isUnchanged.get(decision.memory, decision.version))
  for (const { memory, result, status, tier, expires, flags, reason } of applied) {
    const change = { status, tier, expires: expires ?? null, flags }
    changeMemory(database, memory, change, { action: result, reason, now })
  }
  if (!isEvaluation) return applied
  database
    .prepare(
      `UPDATE memory_metrics SET last_evaluated_at = ? WHERE memory_id IN
         (SELECT memory_id FROM memories WHERE (project_id IS NULL OR project_id = ?) AND status <> 'deprecated')`,
    )
    .run(now, id)
  database.prepare("UPDATE projects SET evaluated = processed, evaluated_at = ? WHERE project_id = ?").run(now, id)
  return applied
}

type SinceRow = { episodes: number; at: string | null; end: string | null; reason: FlushReason | null }

export function sinceEvaluation(database: Database, project: string): SinceEvaluation {
  const row = database
    .prepare<SinceRow>(
      `SELECT projects.processed - evaluated AS episodes, evaluated_at AS at, end_ts AS "end", flush_reason AS reason
       FROM projects LEFT JOIN episodes ON episode_id = last_processed WHERE projects.project_id = ?`,
    )
    .get(knownAs(database, project))
  return {
    episodes: row?.episodes ?? 0,
    at: row?.at ?? undefined,
    last: row?.end && row.reason ? { end: row.end, flushReason: row.reason } : undefined,
  }
}
