import { sha256 } from "../disk/hash.ts"
import { DreyError, exitCode } from "../errors.ts"
import type { FlushReason } from "./episode.ts"
import type { Decision, OutcomeReport, SinceEvaluation } from "./learned-store.ts"
import { addFlag, changeMemory, refreshMetrics } from "./memory-rows.ts"
import { currentProjectId } from "./project-id.ts"
import { clearNote } from "./proposal.ts"
import { one, run, type Steps } from "./steps.ts"

/** Stores a reported outcome of a task and its injected memories; it overrides what the transcript shows. */
export function* reportOutcome(report: OutcomeReport): Steps<void> {
  const { helped, wrong, ts } = report
  const named = [...helped, ...wrong]
  const project = yield* currentProjectId(report.project)
  for (const id of named)
    if (!(yield* isVisible(id, project)))
      throw new DreyError(`Memory ${id} not found in this project`, { exitCode: exitCode.no })
  const task = (yield* findTask(report, project)) ?? (yield* addReportTask(report, project))
  yield* run(
    "UPDATE tasks SET outcome = ?, note = coalesce(?, note) WHERE task_id = ?",
    report.outcome,
    report.note === undefined ? null : clearNote(report.note),
    task,
  )
  for (const id of helped) yield* noteUse(id, task, "helped", ts)
  for (const id of wrong) {
    yield* noteUse(id, task, "wrong", ts)
    if (yield* isUsers(id)) yield* addFlag(id, "review", { action: "flagged", reason: "reported as wrong", now: ts })
  }
  yield* refreshMetrics(named)
}

/** Team memories are flagged on the server, which receives the use. */
function* isUsers(id: string): Steps<boolean> {
  return (yield* one("SELECT 1 FROM memories WHERE memory_id = ? AND owner_type = 'user'", id)) !== undefined
}

function* isVisible(id: string, project: string): Steps<boolean> {
  const sql = "SELECT 1 FROM memories WHERE memory_id = ? AND (project_id IS NULL OR project_id = ?)"
  return (yield* one(sql, id, project)) !== undefined
}

/** The task with this id or context; without either, the latest of the session. */
function* findTask({ task, session, ts }: OutcomeReport, project: string): Steps<string | undefined> {
  if (task !== undefined) {
    const named = yield* one<{ id: string }>(
      `SELECT task_id AS id FROM tasks WHERE task_id = :task
       UNION ALL SELECT task_id FROM contexts WHERE context_id = :task`,
      { task },
    )
    return named?.id // tasks without relevant memories are not recorded
  }
  if (session === undefined) return undefined
  const last = yield* one<{ id: string }>(
    `SELECT task_id AS id FROM tasks WHERE session_id = ? AND project_id = ? AND asked = 1 AND ts <= ?
     ORDER BY ts DESC, task_id LIMIT 1`,
    session,
    project,
    ts,
  )
  return last?.id
}

/** The memory may have been found by a search: a task without a context. */
function* addReportTask({ session, ts }: OutcomeReport, project: string): Steps<string> {
  const task = `t-${sha256(`${project}\n${session ?? ""}\n${ts}\nreport`).slice(0, 12)}`
  yield* run(
    `INSERT INTO tasks (task_id, project_id, session_id, task_hash, ts, asked) VALUES (?, ?, ?, '', ?, 0)
     ON CONFLICT DO NOTHING`,
    task,
    project,
    session ?? null,
    ts,
  )
  return task
}

function* noteUse(memory: string, task: string, outcome: "helped" | "wrong", ts: string): Steps<void> {
  yield* run(
    `INSERT INTO memory_uses (memory_id, task_id, ts, asked, injected, outcome, settled_at)
     SELECT ?, task_id, ts, asked, 0, ?, ? FROM tasks WHERE task_id = ?
     ON CONFLICT (memory_id, task_id) DO UPDATE SET outcome = excluded.outcome, settled_at = excluded.settled_at`,
    memory,
    outcome,
    ts,
    task,
  )
}

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
  const id = yield* currentProjectId(project)
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
    yield* currentProjectId(project),
  )
  return {
    episodes: row?.episodes ?? 0,
    at: row?.at ?? undefined,
    last: row?.end && row.reason ? { end: row.end, flushReason: row.reason } : undefined,
  }
}
