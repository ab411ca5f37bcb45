import type { ClientId, Position } from "../clients/client.ts"
import type { Database } from "../disk/sqlite.ts"
import type { EpisodeEvent } from "../episodes/episode.ts"
import { insertEpisode } from "./episode-rows.ts"
import { hashRecord } from "./hash-record.ts"
import type { Intake, OpenTask } from "./learned-store.ts"
import { ensureProject } from "./register-project.ts"

export function readPosition(database: Database, client: ClientId, path: string, session = ""): Position | undefined {
  return database
    .prepare<Position>(
      "SELECT offset, line, stamp, carried FROM ingest_positions WHERE client = ? AND path = ? AND session = ?",
    )
    .get(client, path, session)
}

/** Of these record ids, those never taken in before. */
export function unseenOf(database: Database, client: ClientId, ids: readonly string[]): Set<string> {
  const rows = database
    .prepare<{ at: number }>(
      `SELECT given.key AS at FROM json_each(?) AS given
       WHERE NOT EXISTS (SELECT 1 FROM seen_records WHERE hash = given.value)`,
    )
    .all(hashList(client, ids))
  return new Set(rows.map(({ at }) => ids[at] as string))
}

/** As JSON, since the whole list is then one parameter; the numbers are larger than those of JavaScript. */
function hashList(client: ClientId, ids: readonly string[]): string {
  return `[${ids.map((id) => hashRecord(client, id)).join(",")}]`
}

/** Keeps what a batch brought together with the position behind it. */
export function takeIn(database: Database, intake: Intake): void {
  if (intake.read) putPosition(database, intake.read)
  for (const episode of intake.episodes) insertEpisode(database, episode, ensureProject(database, episode.project))
  for (const task of intake.open) putOpenTask(database, task)
}

function putPosition(database: Database, read: NonNullable<Intake["read"]>): void {
  const { offset, line, stamp, carried } = read.position
  database
    .prepare(
      "INSERT OR REPLACE INTO ingest_positions (client, path, session, offset, line, stamp, carried) VALUES (?, ?, ?, ?, ?, ?, ?)",
    )
    .run(read.client, read.path, read.session ?? "", offset, line, stamp, carried)
  database
    .prepare("INSERT OR IGNORE INTO seen_records (hash) SELECT value FROM json_each(?) ORDER BY value")
    .run(hashList(read.client, read.seen))
}

function putOpenTask(database: Database, task: OpenTask): void {
  if (task.events.length === 0) {
    database.prepare("DELETE FROM open_tasks WHERE client = ? AND session_id = ?").run(task.client, task.session)
    return
  }
  database
    .prepare(
      `INSERT OR REPLACE INTO open_tasks (client, session_id, project_id, transcript, continuation_of, events_json)
       VALUES (?, ?, ?, ?, ?, ?)`,
    )
    .run(
      task.client,
      task.session,
      ensureProject(database, task.project),
      task.transcript,
      task.continuationOf ?? null,
      JSON.stringify(task.events),
    )
}

type OpenTaskRow = {
  client: ClientId
  session_id: string
  project_id: string
  transcript: string
  continuation_of: string | null
  events_json: string
}

export function listOpenTasks(
  database: Database,
  filter: { client: ClientId; session: string } | undefined,
): OpenTask[] {
  return database
    .prepare<OpenTaskRow>(
      `SELECT client, session_id, project_id, transcript, continuation_of, events_json FROM open_tasks
       WHERE :client IS NULL OR (client = :client AND session_id = :session) ORDER BY client, session_id`,
    )
    .all({ client: filter?.client ?? null, session: filter?.session ?? null })
    .map((row) => ({
      client: row.client,
      session: row.session_id,
      project: row.project_id,
      transcript: row.transcript,
      events: JSON.parse(row.events_json) as EpisodeEvent[],
      ...(row.continuation_of === null ? {} : { continuationOf: row.continuation_of }),
    }))
}
