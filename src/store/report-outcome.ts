import { sha256 } from "../disk/sha256.ts"
import { DreyError, exitCode } from "../errors.ts"
import { addFlag } from "./add-flag.ts"
import { clearNote } from "./clear-words.ts"
import { knownAs } from "./known-as.ts"
import type { OutcomeReport } from "./learned-store.ts"
import { refreshMetrics } from "./refresh-metrics.ts"
import { one, run, type Steps } from "./steps.ts"

/** Stores a reported outcome of a task and its injected memories; it overrides what the transcript shows. */
export function* reportOutcome(report: OutcomeReport): Steps<void> {
  const { helped, wrong, ts } = report
  const named = [...helped, ...wrong]
  const project = yield* knownAs(report.project)
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
