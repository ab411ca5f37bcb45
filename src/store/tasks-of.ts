import type { Database } from "../disk/sqlite.ts"
import type { Episode, EpisodeEvent } from "../episodes/episode.ts"
import { taskHashOf } from "../formats/task-hash.ts"
import type { RecordedTask, RecordedUse } from "./learned-store.ts"

/** A hook asks for the context before the transcript shows the first message of the task. */
const beforehandMs = 600_000

/**
 * The tasks of an episode: by the contexts that its transcript shows and by session, since not every client keeps what its hooks put in;
 * else by the words of its person at that time, else those of the episode it continues.
 */
export function tasksOf(database: Database, episode: Episode): RecordedTask[] {
  const ids = taskIdsOf(database, episode)
  const tasks = database.prepare<{ task: string; ts: string; taskHash: string }>(
    "SELECT task_id AS task, ts, task_hash AS taskHash FROM tasks WHERE task_id IN (SELECT value FROM json_each(?)) ORDER BY ts, task_id",
  )
  return tasks.all(JSON.stringify(ids)).map((task) => ({ ...task, uses: usesOfTask(database, task.task) }))
}

export function taskIdsOf(database: Database, episode: Episode): string[] {
  const { id, project, session, start, end } = episode
  const tasks = (from: string, values: Record<string, string>) =>
    database
      .prepare<AskedTask>(
        `SELECT DISTINCT task_id AS id, task_hash AS hash, ts FROM tasks ${from} AND asked AND (episode_id IS NULL OR episode_id = :episode)`,
      )
      .all({ ...values, episode: id })
  const contexts = JSON.stringify(episode.events.flatMap((event) => event.contexts ?? []))
  const time = { project, since: shift(start, -beforehandMs), until: end }
  const isInTime = "project_id = :project AND ts BETWEEN :since AND :until"
  const ways = [
    () => {
      const shown = "context_id IN (SELECT value FROM json_each(:contexts))"
      const values = { contexts, session, ...time }
      return tasks(
        `LEFT JOIN contexts USING (task_id) WHERE (${shown} OR (session_id = :session AND ${isInTime}))`,
        values,
      )
    },
    () => {
      const hashes = JSON.stringify(hashesOfWords(episode.events))
      const said = `WHERE session_id IS NULL AND task_hash IN (SELECT value FROM json_each(:hashes)) AND ${isInTime}`
      return tasks(said, { hashes, ...time }).filter((task) => !isSaidElsewhere(database, episode, task))
    },
    () => continuedTasks(database, episode),
  ]
  for (const find of ways) {
    const found = find()
    if (found.length > 0) return found.map((task) => task.id)
  }
  return []
}

type AskedTask = { id: string; hash: string; ts: string }

/** Tasks as a person put them; one of which only the beginning is kept is not known again by its words. */
function hashesOfWords(events: readonly EpisodeEvent[]): string[] {
  return events
    .filter(({ role, kind }) => role === "user" && kind === "message")
    .map(({ summary }) => taskHashOf(summary))
}

/** Whether a person said the same in another session at that time: then nobody knows for which of them the context was. */
function isSaidElsewhere(database: Database, { project, client, session }: Episode, { hash, ts }: AskedTask): boolean {
  const others = database.prepare<{ events: string }>(
    `SELECT events_json AS events FROM episodes
     WHERE project_id = :project AND (client, session_id) <> (:client, :session) AND start_ts <= :latest AND end_ts >= :ts
     UNION ALL
     SELECT events_json FROM open_tasks
     WHERE project_id = :project AND (client, session_id) <> (:client, :session) AND events_json ->> '$[0].ts' <= :latest`,
  )
  return others
    .all({ project, client, session, ts, latest: shift(ts, beforehandMs) })
    .some(({ events }) => hashesOfWords(JSON.parse(events) as EpisodeEvent[]).includes(hash))
}

function shift(ts: string, ms: number): string {
  const time = Date.parse(ts)
  return Number.isNaN(time) ? ts : new Date(time + ms).toISOString()
}

/** What was handed out for the first part of a task is in force for the rest of it. */
function continuedTasks(database: Database, { continuationOf }: Episode): { id: string }[] {
  if (continuationOf === undefined) return []
  return database
    .prepare<{ id: string }>(
      `WITH RECURSIVE parts (id) AS (
         SELECT ? UNION SELECT continuation_of FROM episodes JOIN parts ON episode_id = parts.id WHERE continuation_of IS NOT NULL
       ) SELECT task_id AS id FROM tasks WHERE episode_id IN (SELECT id FROM parts) AND asked`,
    )
    .all(continuationOf)
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

function usesOfTask(database: Database, task: string): RecordedUse[] {
  return database
    .prepare<UseRow>(`${useSql} WHERE task_id = ? ORDER BY rank IS NULL, rank, memory_id`)
    .all(task)
    .map(toUse)
}

/** The uses of a memory and of those it refines, oldest first. */
export function usesOfMemory(database: Database, memory: string): RecordedUse[] {
  return database
    .prepare<UseRow>(
      `WITH RECURSIVE line (id) AS (
         SELECT ? UNION SELECT derived_from FROM memories JOIN line ON memory_id = line.id WHERE derived_from IS NOT NULL
       ) ${useSql} WHERE memory_id IN (SELECT id FROM line) ORDER BY memory_uses.ts, task_id, memory_id`,
    )
    .all(memory)
    .map(toUse)
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
