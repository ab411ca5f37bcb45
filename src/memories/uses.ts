import { taskHashOf } from "../formats/ids.ts"
import type { Episode, EpisodeEvent } from "./episode.ts"
import type { MemoryHistory, RecordedTask, RecordedUse, TaskUse } from "./learned-store.ts"
import type { Evidence } from "./memory.ts"
import { refreshMetrics } from "./memory-rows.ts"
import { currentProjectId } from "./project-id.ts"
import { all, one, run, type Steps } from "./steps.ts"

/** A hook asks for the context before the transcript contains the first message of the task. */
const beforehandMs = 600_000

/**
 * The tasks of an episode: by the contexts in its transcript and by session, because not every client records what its
 * hooks inject; else by the user's words at that time, else those of the episode it continues.
 */
export function* tasksOf(episode: Episode): Steps<RecordedTask[]> {
  const ids = yield* taskIdsOf(episode)
  const rows = yield* all<{ task: string; ts: string; hash: string }>(
    "SELECT task_id AS task, ts, task_hash AS hash FROM tasks WHERE task_id IN (SELECT value FROM json_each(?)) ORDER BY ts, task_id",
    JSON.stringify(ids),
  )
  const tasks: RecordedTask[] = []
  for (const { task, ts, hash } of rows) tasks.push({ task, ts, taskHash: hash, uses: yield* usesOfTask(task) })
  return tasks
}

export function* taskIdsOf(episode: Episode): Steps<string[]> {
  for (const find of [tasksShown, tasksSaid, continuedTasks]) {
    const found = yield* find(episode)
    if (found.length > 0) return found.map((task) => task.id)
  }
  return []
}

type AskedTask = { id: string; hash: string; ts: string }

const isInTime = "project_id = :project AND ts BETWEEN :since AND :until"

function timeOf({ id, project, start, end }: Episode) {
  return { episode: id, project, since: shift(start, -beforehandMs), until: end }
}

const askedTasks = (which: string) =>
  `SELECT DISTINCT task_id AS id, task_hash AS hash, ts FROM tasks ${which} AND asked = 1 AND (episode_id IS NULL OR episode_id = :episode)`

function* tasksShown(episode: Episode): Steps<AskedTask[]> {
  const contexts = JSON.stringify(episode.events.flatMap((event) => event.contexts ?? []))
  const isShown = "context_id IN (SELECT value FROM json_each(:contexts))"
  return yield* all<AskedTask>(
    askedTasks(`LEFT JOIN contexts USING (task_id) WHERE (${isShown} OR (session_id = :session AND ${isInTime}))`),
    { contexts, session: episode.session, ...timeOf(episode) },
  )
}

function* tasksSaid(episode: Episode): Steps<AskedTask[]> {
  const isSaid = "session_id IS NULL AND task_hash IN (SELECT value FROM json_each(:hashes))"
  const said = yield* all<AskedTask>(askedTasks(`WHERE ${isSaid} AND ${isInTime}`), {
    hashes: JSON.stringify(hashesOfWords(episode.events)),
    ...timeOf(episode),
  })
  const own: AskedTask[] = []
  for (const task of said) if (!(yield* isSaidElsewhere(episode, task))) own.push(task)
  return own
}

/** Tasks in the user's words; truncated ones cannot be matched. */
function hashesOfWords(events: readonly EpisodeEvent[]): string[] {
  return events
    .filter(({ role, kind }) => role === "user" && kind === "message")
    .map(({ summary }) => taskHashOf(summary))
}

/** Whether the user said the same in another session at that time: then it is unknown which of them got the context. */
function* isSaidElsewhere({ project, client, session }: Episode, { hash, ts }: AskedTask): Steps<boolean> {
  const latest = shift(ts, beforehandMs)
  const isOther = "project_id = :project AND (client, session_id) <> (:client, :session)"
  const over = yield* all<EventsRow>(
    `SELECT events_json AS events FROM episodes WHERE ${isOther} AND start_ts <= :latest AND end_ts >= :ts`,
    { project, client, session, ts, latest },
  )
  const open = yield* all<EventsRow>(`SELECT events_json AS events FROM open_tasks WHERE ${isOther}`, {
    project,
    client,
    session,
  })
  const eventsOf = ({ events }: EventsRow) => JSON.parse(events) as EpisodeEvent[]
  const begun = open.map(eventsOf).filter(([first]) => first !== undefined && first.ts <= latest)
  return [...over.map(eventsOf), ...begun].some((events) => hashesOfWords(events).includes(hash))
}

type EventsRow = { events: string }

function shift(ts: string, ms: number): string {
  const time = Date.parse(ts)
  return Number.isNaN(time) ? ts : new Date(time + ms).toISOString()
}

/** What was injected for the first part of a task applies to the rest of it. */
function* continuedTasks({ continuationOf }: Episode): Steps<{ id: string }[]> {
  if (continuationOf === undefined) return []
  return yield* all<{ id: string }>(
    `WITH RECURSIVE parts (id) AS (
       SELECT episode_id FROM episodes WHERE episode_id = ?
       UNION SELECT continuation_of FROM episodes JOIN parts ON episode_id = parts.id WHERE continuation_of IS NOT NULL
     ) SELECT task_id AS id FROM tasks WHERE episode_id IN (SELECT id FROM parts) AND asked = 1`,
    continuationOf,
  )
}

type UseRow = {
  memory_id: string
  task_id: string
  session_id: string | null
  episode_id: string | null
  ts: string
  injected: number
  rank: number | null
  score: number | null
  exposed: number | null
  cited: number | null
  outcome: RecordedUse["outcome"] | null
}

const useSql = `SELECT memory_id, task_id, session_id, memory_uses.episode_id, memory_uses.ts, injected, rank, score, exposed, cited,
  memory_uses.outcome FROM memory_uses JOIN tasks USING (task_id)`

function* usesOfTask(task: string): Steps<RecordedUse[]> {
  const rows = yield* all<UseRow>(`${useSql} WHERE task_id = ? ORDER BY rank IS NULL, rank, memory_id`, task)
  return rows.map(toUse)
}

/** The uses of a memory and of those it refines, oldest first. */
function* usesOfMemory(memory: string): Steps<RecordedUse[]> {
  const rows = yield* all<UseRow>(
    `WITH RECURSIVE line (id) AS (
       SELECT memory_id FROM memories WHERE memory_id = ?
       UNION SELECT derived_from FROM memories JOIN line ON memory_id = line.id WHERE derived_from IS NOT NULL
     ) ${useSql} WHERE memory_id IN (SELECT id FROM line) ORDER BY memory_uses.ts, task_id, memory_id`,
    memory,
  )
  return rows.map(toUse)
}

function toUse(row: UseRow): RecordedUse {
  const isTrue = (value: number | null) => (value === null ? undefined : value === 1)
  return {
    memory: row.memory_id,
    task: row.task_id,
    session: row.session_id ?? undefined,
    episode: row.episode_id ?? undefined,
    ts: row.ts,
    injected: row.injected === 1,
    rank: row.rank ?? undefined,
    score: row.score ?? undefined,
    exposed: isTrue(row.exposed),
    cited: isTrue(row.cited),
    outcome: row.outcome ?? undefined,
  }
}

/** A task that appears in no transcript is not open for ever: after a day the same words are a new task. */
const longestOpenMs = 86_400_000

/** Records a task with every relevant memory; repeated requests while it is open stay one task. Returns its id. */
export function* recordTask(use: TaskUse): Steps<string> {
  const project = yield* currentProjectId(use.project)
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

/** A memory's evidence, changes and uses. */
export function* readHistory(id: string): Steps<MemoryHistory> {
  const evidence = yield* all<Evidence & { agent: string | null }>(
    `SELECT evidence_id AS id, memory_id AS memory, episode_id AS episode, project_id AS project, source, frustration,
       created_at AS created, transcript, line, quote,
       (SELECT agent FROM episodes WHERE episodes.episode_id = evidence.episode_id) AS agent
     FROM evidence WHERE memory_id = ? ORDER BY created_at, evidence_id`,
    id,
  )
  const audit = yield* all<{ ts: string; action: string; reason: string; episode: string | null }>(
    "SELECT ts, action, reason, episode_id AS episode FROM memory_audit WHERE memory_id = ? ORDER BY audit_id",
    id,
  )
  return {
    evidence: evidence.map(({ agent, ...row }) => ({ ...row, ...(agent === null ? {} : { agent }) })),
    uses: yield* usesOfMemory(id),
    audit: audit.map((row) => ({ ...row, episode: row.episode ?? undefined })),
  }
}
