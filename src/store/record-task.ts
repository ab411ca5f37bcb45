import type { Database } from "../disk/sqlite.ts"
import { knownAs } from "./known-as.ts"
import type { TaskUse } from "./learned-store.ts"
import { refreshMetrics } from "./refresh-metrics.ts"

/** A task that no transcript ever showed is not open for ever: the same words are another task after a day. */
const longestOpenMs = 86_400_000

/** Notes a task with every memory that was relevant to it; asked for again while it is open, it stays one task. Returns its id. */
export function recordTask(database: Database, use: TaskUse): string {
  const project = knownAs(database, use.project)
  const task = findOpenTask(database, use, project) ?? addTask(database, use, project)
  database.prepare("INSERT OR IGNORE INTO contexts (context_id, task_id) VALUES (?, ?)").run(use.task, task)
  database
    .prepare(
      `INSERT INTO memory_uses (memory_id, task_id, ts, asked, injected, rank, score)
       SELECT memory_id, :task, :ts, 1, value ->> 'injected', value ->> 'rank', value ->> 'score'
       FROM json_each(:memories) CROSS JOIN memories ON memory_id = value ->> 'id' WHERE TRUE
       ON CONFLICT DO UPDATE SET injected = 1, rank = excluded.rank, score = excluded.score, ts = excluded.ts
       WHERE excluded.injected AND NOT injected`,
    )
    .run({ task, ts: use.ts, memories: JSON.stringify(use.memories) })
  refreshMetrics(
    database,
    use.memories.map(({ id }) => id),
  )
  return task
}

function findOpenTask(
  database: Database,
  { task, session, agent, taskHash, ts }: TaskUse,
  project: string,
): string | undefined {
  const row = database
    .prepare<{ task_id: string }>(
      `SELECT task_id FROM tasks
       WHERE task_id = :task OR (project_id = :project AND task_hash = :hash AND episode_id IS NULL AND asked
         AND session_id IS :session AND agent IS :agent AND ts >= :since)
       ORDER BY task_id = :task DESC, ts DESC, task_id LIMIT 1`,
    )
    .get({
      task,
      project,
      hash: taskHash,
      session: session ?? null,
      agent: agent ?? null,
      since: new Date(Date.parse(ts) - longestOpenMs).toISOString(),
    })
  return row?.task_id
}

function addTask(database: Database, { task, session, agent, taskHash, ts }: TaskUse, project: string): string {
  database
    .prepare(
      "INSERT INTO tasks (task_id, project_id, session_id, agent, task_hash, ts, asked) VALUES (?, ?, ?, ?, ?, ?, 1)",
    )
    .run(task, project, session ?? null, agent ?? null, taskHash, ts)
  return task
}
