import { sha256 } from "../disk/sha256.ts"
import type { Database } from "../disk/sqlite.ts"
import { DreyError, exitCode } from "../errors.ts"
import { addFlag } from "./add-flag.ts"
import { clearNote } from "./clear-words.ts"
import { knownAs } from "./known-as.ts"
import type { OutcomeReport } from "./learned-store.ts"
import { refreshMetrics } from "./refresh-metrics.ts"

/** Keeps what somebody says of a task and of the memories that were handed out for it; this outweighs what its transcript shows. */
export function reportOutcome(database: Database, report: OutcomeReport): void {
  const { helped, wrong, ts } = report
  const named = [...helped, ...wrong]
  const project = knownAs(database, report.project)
  const visible = database.prepare(
    "SELECT 1 FROM memories WHERE memory_id = ? AND (project_id IS NULL OR project_id = ?)",
  )
  const missing = named.find((id) => !visible.get(id, project))
  if (missing !== undefined)
    throw new DreyError(`There is no memory ${missing} in this project`, { exitCode: exitCode.no })
  const task = findTask(database, report, project) ?? addReportTask(database, report, project)
  database
    .prepare("UPDATE tasks SET outcome = ?, note = coalesce(?, note) WHERE task_id = ?")
    .run(report.outcome, report.note === undefined ? null : clearNote(report.note), task)
  for (const id of helped) noteUse(database, id, task, "helped", ts)
  for (const id of wrong) {
    noteUse(database, id, task, "wrong", ts)
    addFlag(database, id, "review", { action: "flagged", reason: "it was reported as wrong", now: ts })
  }
  refreshMetrics(database, named)
}

/** The task that is named by its id or a context of it; where none is named, the last one of the session. */
function findTask(database: Database, { task, session, ts }: OutcomeReport, project: string): string | undefined {
  const named = database
    .prepare<{ id: string }>(
      `SELECT task_id AS id FROM tasks WHERE task_id = :task
       UNION ALL SELECT task_id FROM contexts WHERE context_id = :task`,
    )
    .get({ task: task ?? null })
  if (task !== undefined || session === undefined) return named?.id // one for which nothing was learned is not on record
  return database
    .prepare<{ id: string }>(
      "SELECT task_id AS id FROM tasks WHERE session_id = ? AND project_id = ? AND asked AND ts <= ? ORDER BY ts DESC, task_id LIMIT 1",
    )
    .get(session, project, ts)?.id
}

/** Somebody may have found a memory by searching: a task without a context. */
function addReportTask(database: Database, { session, ts }: OutcomeReport, project: string): string {
  const task = `t-${sha256(`${project}\n${session ?? ""}\n${ts}\nreport`).slice(0, 12)}`
  database
    .prepare(
      "INSERT OR IGNORE INTO tasks (task_id, project_id, session_id, task_hash, ts, asked) VALUES (?, ?, ?, '', ?, 0)",
    )
    .run(task, project, session ?? null, ts)
  return task
}

function noteUse(database: Database, memory: string, task: string, outcome: "helped" | "wrong", ts: string): void {
  database
    .prepare(
      `INSERT INTO memory_uses (memory_id, task_id, ts, asked, injected, outcome, settled_at)
       SELECT ?, task_id, ts, asked, 0, ?, ? FROM tasks WHERE task_id = ?
       ON CONFLICT DO UPDATE SET outcome = excluded.outcome, settled_at = excluded.settled_at`,
    )
    .run(memory, outcome, ts, task)
}
