import { knownAs } from "./known-as.ts"
import type { TaskUse } from "./learned-store.ts"
import { refreshMetrics } from "./refresh-metrics.ts"
import { one, run, type Steps } from "./steps.ts"

/** A task that appears in no transcript is not open for ever: after a day the same words are a new task. */
const longestOpenMs = 86_400_000

/** Records a task with every relevant memory; repeated requests while it is open stay one task. Returns its id. */
export function* recordTask(use: TaskUse): Steps<string> {
  const project = yield* knownAs(use.project)
  const task = (yield* findOpenTask(use, project)) ?? (yield* addTask(use, project))
  yield* run("INSERT INTO contexts (context_id, task_id) VALUES (?, ?) ON CONFLICT DO NOTHING", use.task, task)
  yield* run(addUses, {
    task,
    ts: use.ts,
    ids: JSON.stringify(use.memories.map(({ id }) => id)),
    injected: JSON.stringify(use.memories.map(({ injected }) => Number(injected))),
    ranks: JSON.stringify(use.memories.map(({ rank }) => rank)),
    scores: JSON.stringify(use.memories.map(({ score }) => score)),
  })
  yield* refreshMetrics(use.memories.map(({ id }) => id))
  return task
}

/** One statement: a remote database takes as long for one as for twenty. */
const addUses = `INSERT INTO memory_uses (memory_id, task_id, ts, asked, injected, rank, score)
  SELECT memory_id, CAST(:task AS TEXT), CAST(:ts AS TEXT), 1, CAST(injected.value AS INTEGER), CAST(ranks.value AS INTEGER),
    CAST(scores.value AS DOUBLE PRECISION)
  FROM json_each(:ids) AS ids JOIN json_each(:injected) AS injected ON injected.key = ids.key
    JOIN json_each(:ranks) AS ranks ON ranks.key = ids.key JOIN json_each(:scores) AS scores ON scores.key = ids.key
    JOIN memories ON memory_id = ids.value
  WHERE TRUE
  ON CONFLICT (memory_id, task_id) DO UPDATE SET injected = 1, rank = excluded.rank, score = excluded.score, ts = excluded.ts
  WHERE excluded.injected = 1 AND memory_uses.injected = 0`

function* findOpenTask({ task, session, agent, taskHash, ts }: TaskUse, project: string): Steps<string | undefined> {
  const row = yield* one<{ task_id: string }>(
    `SELECT task_id FROM tasks
     WHERE task_id = :task OR (project_id = :project AND task_hash = :hash AND episode_id IS NULL AND asked = 1
       AND session_id IS NOT DISTINCT FROM :session AND agent IS NOT DISTINCT FROM :agent AND ts >= :since)
     ORDER BY task_id = :task DESC, ts DESC, task_id LIMIT 1`,
    {
      task,
      project,
      hash: taskHash,
      session: session ?? null,
      agent: agent ?? null,
      since: new Date(Date.parse(ts) - longestOpenMs).toISOString(),
    },
  )
  return row?.task_id
}

function* addTask({ task, session, agent, taskHash, ts }: TaskUse, project: string): Steps<string> {
  yield* run(
    "INSERT INTO tasks (task_id, project_id, session_id, agent, task_hash, ts, asked) VALUES (?, ?, ?, ?, ?, ?, 1)",
    task,
    project,
    session ?? null,
    agent ?? null,
    taskHash,
    ts,
  )
  return task
}
