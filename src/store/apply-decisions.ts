import type { FlushReason } from "../episodes/episode.ts"
import { knownAs } from "./known-as.ts"
import type { Decision, SinceEvaluation } from "./learned-store.ts"
import { one, run, type Steps } from "./steps.ts"
import { changeMemory } from "./write-memory.ts"

/**
 * Applies decisions and, for an evaluation, records it; skips memories that changed since they were judged. Returns the
 * applied decisions.
 */
export function* applyDecisions(
  project: string,
  decisions: readonly Decision[],
  now: string,
  isEvaluation: boolean,
): Steps<Decision[]> {
  const id = yield* knownAs(project)
  const applied: Decision[] = []
  for (const decision of decisions) if (yield* isUnchanged(decision)) applied.push(decision)
  for (const { memory, result, status, tier, expires, flags, reason } of applied) {
    const change = { status, tier, expires: expires ?? null, flags }
    yield* changeMemory(memory, change, { action: result, reason, now })
  }
  if (!isEvaluation) return applied
  yield* run(
    `UPDATE memory_metrics SET last_evaluated_at = ? WHERE memory_id IN
       (SELECT memory_id FROM memories WHERE (project_id IS NULL OR project_id = ?) AND status <> 'deprecated')`,
    now,
    id,
  )
  yield* run("UPDATE projects SET evaluated = processed, evaluated_at = ? WHERE project_id = ?", now, id)
  return applied
}

function* isUnchanged({ memory, version }: Decision): Steps<boolean> {
  const sql = "SELECT 1 FROM memories WHERE memory_id = ? AND version = ? AND status <> 'deprecated'"
  return (yield* one(sql, memory, version)) !== undefined
}

type SinceRow = { episodes: number; at: string | null; end: string | null; reason: FlushReason | null }

export function* sinceEvaluation(project: string): Steps<SinceEvaluation> {
  const row = yield* one<SinceRow>(
    `SELECT projects.processed - evaluated AS episodes, evaluated_at AS at, end_ts AS "end", flush_reason AS reason
     FROM projects LEFT JOIN episodes ON episode_id = last_processed WHERE projects.project_id = ?`,
    yield* knownAs(project),
  )
  return {
    episodes: row?.episodes ?? 0,
    at: row?.at ?? undefined,
    last: row?.end && row.reason ? { end: row.end, flushReason: row.reason } : undefined,
  }
}
