import type { Episode } from "../episodes/episode.ts"
import { knownAs } from "./known-as.ts"
import type { StoredEpisode } from "./learned-store.ts"
import { all, one, run, type Steps } from "./steps.ts"

export type EpisodeRow = {
  episode_id: string
  project_id: string
  client: Episode["client"]
  session_id: string
  transcript: string
  start_ts: string
  end_ts: string
  flush_reason: Episode["flushReason"]
  continuation_of: string | null
  events_json: string
  stats_json: string
  processed: number
  attempts: number
  skip_reason: string | null
}

export const episodeColumns = `episode_id, project_id, client, session_id, transcript, start_ts, end_ts, flush_reason, continuation_of,
  events_json, stats_json, processed, attempts, skip_reason`

export function toEpisode(row: EpisodeRow): StoredEpisode {
  return {
    id: row.episode_id,
    project: row.project_id,
    client: row.client,
    session: row.session_id,
    transcript: row.transcript,
    start: row.start_ts,
    end: row.end_ts,
    events: JSON.parse(row.events_json),
    stats: JSON.parse(row.stats_json),
    flushReason: row.flush_reason,
    ...(row.continuation_of === null ? {} : { continuationOf: row.continuation_of }),
    processed: row.processed === 1,
    attempts: row.attempts,
    skipReason: row.skip_reason ?? undefined,
  }
}

export function* readEpisode(id: string): Steps<StoredEpisode | undefined> {
  const row = yield* one<EpisodeRow>(`SELECT ${episodeColumns} FROM episodes WHERE episode_id = ?`, id)
  return row && toEpisode(row)
}

/** Ids are derived from the transcript, so an existing id means the same episode. */
export function* insertEpisode(episode: Episode, project: string): Steps<void> {
  yield* run(
    `INSERT INTO episodes (episode_id, project_id, client, session_id, session_start, ordinal, transcript, start_ts, end_ts,
       flush_reason, continuation_of, events_json, stats_json)
     SELECT :id, :project, :client, :session, coalesce(min(session_start), :start), count(*), :transcript, :start, :end,
       :reason, :continuation, :events, :stats
     FROM episodes WHERE client = :client AND session_id = :session
     ON CONFLICT (episode_id) DO NOTHING`,
    {
      id: episode.id,
      project,
      client: episode.client,
      session: episode.session,
      start: episode.start,
      end: episode.end,
      transcript: episode.transcript,
      reason: episode.flushReason,
      continuation: episode.continuationOf ?? null,
      events: JSON.stringify(episode.events),
      stats: JSON.stringify(episode.stats),
    },
  )
}

export type WaitingOptions = { project?: string; limit?: number; parked?: boolean }

/** Sessions by start time, each from its first episode to its last. */
export function* listWaiting(options: WaitingOptions, maxAttempts: number): Steps<Episode[]> {
  const { project, limit = Number.MAX_SAFE_INTEGER, parked = false } = options
  const rows = yield* all<EpisodeRow>(
    `SELECT ${episodeColumns} FROM episodes
     WHERE processed = 0 AND (CAST(:project AS TEXT) IS NULL OR project_id = :project) AND (:parked = 1 OR attempts < :most)
     ORDER BY session_start, client, session_id, ordinal LIMIT :limit`,
    {
      project: project === undefined ? null : yield* knownAs(project),
      parked: Number(parked),
      most: maxAttempts,
      limit,
    },
  )
  return rows.map((row) => {
    const { processed: _, attempts: __, skipReason: ___, ...episode } = toEpisode(row)
    return episode
  })
}

/** Counts a failed attempt; returns the number of attempts. */
export function* countAttempt(id: string, reason: string): Steps<number> {
  const row = yield* one<{ attempts: number }>(
    `UPDATE episodes SET attempts = CASE WHEN processed = 0 THEN attempts + 1 ELSE attempts END,
       last_problem = CASE WHEN processed = 0 THEN ? ELSE last_problem END
     WHERE episode_id = ? RETURNING attempts`,
    reason,
    id,
  )
  if (!row) throw new Error(`episode ${id} not found`)
  return row.attempts
}
