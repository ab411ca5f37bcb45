import type { ClientId, Position } from "../formats/client-events.ts"

import type { EpisodeEvent } from "./episode.ts"
import { insertEpisode } from "./episode-rows.ts"
import type { Intake, OpenTask, OpenTaskFilter } from "./learned-store.ts"
import { currentProjectId } from "./project-id.ts"
import { ensureProject } from "./projects.ts"
import { all, one, run, type Steps } from "./steps.ts"

export function* readPosition(client: ClientId, path: string, session = ""): Steps<Position | undefined> {
  return yield* one<Position>(
    'SELECT "offset", line, stamp, carried FROM ingest_positions WHERE client = ? AND path = ? AND session = ?',
    client,
    path,
    session,
  )
}

/** The record ids that have not been stored yet. */
export function* unseenOf(client: ClientId, ids: readonly string[]): Steps<Set<string>> {
  const rows = yield* all<{ at: number }>(
    `SELECT given.key AS at FROM json_each(?) AS given
     WHERE NOT EXISTS (SELECT 1 FROM seen_records WHERE hash = CAST(given.value AS BIGINT))`,
    hashList(client, ids),
  )
  return new Set(rows.map(({ at }) => ids[at] as string))
}

/** As JSON, because the whole list is then one parameter; the numbers exceed JavaScript's safe integers. */
function hashList(client: ClientId, ids: readonly string[]): string {
  return `[${ids.map((id) => hashRecord(client, id)).join(",")}]`
}

/** Stores a batch together with the position after it. */
export function* saveIntake(intake: Intake): Steps<void> {
  if (intake.read) yield* putPosition(intake.read)
  for (const episode of intake.episodes) yield* insertEpisode(episode, yield* ensureProject(episode.project))
  for (const task of intake.open) yield* putOpenTask(task)
}

function* putPosition(read: NonNullable<Intake["read"]>): Steps<void> {
  const { offset, line, stamp, carried } = read.position
  yield* run(
    `INSERT INTO ingest_positions (client, path, session, "offset", line, stamp, carried) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (client, path, session) DO UPDATE SET
       "offset" = excluded."offset", line = excluded.line, stamp = excluded.stamp, carried = excluded.carried`,
    read.client,
    read.path,
    read.session ?? "",
    offset,
    line,
    stamp,
    carried,
  )
  yield* run(
    `INSERT INTO seen_records (hash) SELECT CAST(value AS BIGINT) FROM json_each(?) WHERE TRUE ORDER BY 1
     ON CONFLICT DO NOTHING`,
    hashList(read.client, read.seen),
  )
}

function* putOpenTask(task: OpenTask): Steps<void> {
  if (task.events.length === 0) {
    yield* run("DELETE FROM open_tasks WHERE client = ? AND session_id = ?", task.client, task.session)
    return
  }
  yield* run(
    `INSERT INTO open_tasks (client, session_id, project_id, transcript, continuation_of, events_json) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (client, session_id) DO UPDATE SET project_id = excluded.project_id, transcript = excluded.transcript,
       continuation_of = excluded.continuation_of, events_json = excluded.events_json`,
    task.client,
    task.session,
    yield* ensureProject(task.project),
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

export function* listOpenTasks(filter: OpenTaskFilter | undefined): Steps<OpenTask[]> {
  const { client, session } = filter && "client" in filter ? filter : { client: null, session: null }
  const project = filter && "project" in filter ? yield* currentProjectId(filter.project) : null
  const rows = yield* all<OpenTaskRow>(
    `SELECT client, session_id, project_id, transcript, continuation_of, events_json FROM open_tasks
     WHERE (CAST(:client AS TEXT) IS NULL OR (client = :client AND session_id = :session))
       AND (CAST(:project AS TEXT) IS NULL OR project_id = :project) ORDER BY client, session_id`,
    { client, session, project },
  )
  return rows.map((row) => ({
    client: row.client,
    session: row.session_id,
    project: row.project_id,
    transcript: row.transcript,
    events: JSON.parse(row.events_json) as EpisodeEvent[],
    ...(row.continuation_of === null ? {} : { continuationOf: row.continuation_of }),
  }))
}

/**
 * A 64-bit hash of a client's record. Among a hundred million records the chance of one collision is about one in four
 * thousand, and it would lose one event. A cryptographic hash would take longer than everything else done for a record.
 */
export function hashRecord(client: string, id: string): bigint {
  const text = `${client}\n${id}`
  let one = 0x5eed1e55
  let other = 0x41c6ce57
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    one = Math.imul(one ^ code, 2654435761)
    other = Math.imul(other ^ code, 1597334677)
  }
  one = Math.imul(one ^ (one >>> 16), 2246822507) ^ Math.imul(other ^ (other >>> 13), 3266489909)
  other = Math.imul(other ^ (other >>> 16), 2246822507) ^ Math.imul(one ^ (one >>> 13), 3266489909)
  return (BigInt(one) << 32n) | BigInt(other >>> 0)
}

/** The project root of a session's events; undefined for an unknown session. */
export function* rootOfSession(client: ClientId, session: string): Steps<string | undefined> {
  const row = yield* one<{ root: string }>(
    `SELECT root FROM projects JOIN (
       SELECT project_id FROM open_tasks WHERE client = :client AND session_id = :session
       UNION ALL SELECT project_id FROM episodes WHERE client = :client AND session_id = :session
     ) AS named USING (project_id) WHERE root <> '' LIMIT 1`,
    { client, session },
  )
  return row?.root
}
