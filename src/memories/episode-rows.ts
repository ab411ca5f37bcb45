import { sha256 } from "../disk/hash.ts"
import type { ClientId } from "../formats/client-events.ts"
import { type Episode, subAgentOf } from "./episode.ts"
import type {
  Baseline,
  SessionEpisodes,
  SessionFilter,
  SettledUse,
  Settlement,
  StoredEpisode,
} from "./learned-store.ts"
import { contradicted } from "./memory.ts"
import { changeMemory, memoriesByIds, refreshMetrics } from "./memory-rows.ts"
import { currentProjectId } from "./project-id.ts"
import { all, one, run, type Steps } from "./steps.ts"
import { taskIdsOf } from "./uses.ts"

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
       flush_reason, continuation_of, events_json, stats_json, agent, parent_session)
     SELECT :id, :project, :client, :session, coalesce(min(session_start), :start), count(*), :transcript, :start, :end,
       :reason, :continuation, :events, :stats, :agent, :parent
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
      agent: subAgentOf(episode.events)?.agent ?? null,
      parent: subAgentOf(episode.events)?.parent ?? null,
    },
  )
  if (episode.summary === undefined) return // a team server gets none
  yield* run(
    "UPDATE episodes SET summary_json = ? WHERE episode_id = ? AND summary_json IS NULL",
    JSON.stringify(episode.summary),
    episode.id,
  )
}

export type WaitingOptions = { project?: string; limit?: number; parked?: boolean }

/** Sessions by start time, each from its first episode to its last. */
export function* listWaitingEpisodes(options: WaitingOptions, maxAttempts: number): Steps<Episode[]> {
  const { project, limit = Number.MAX_SAFE_INTEGER, parked = false } = options
  const rows = yield* all<EpisodeRow>(
    `SELECT ${episodeColumns} FROM episodes
     WHERE processed = 0 AND (CAST(:project AS TEXT) IS NULL OR project_id = :project) AND (:parked = 1 OR attempts < :most)
     ORDER BY session_start, client, session_id, ordinal LIMIT :limit`,
    {
      project: project === undefined ? null : yield* currentProjectId(project),
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

/**
 * Stores what an episode showed about memories, closes its tasks and marks it processed; an episode without injections
 * counts for the baseline.
 */
export function* finishEpisode(
  episode: StoredEpisode,
  settlement: Settlement,
  { now, skipReason }: { now: string; skipReason?: string },
): Steps<void> {
  for (const task of yield* taskIdsOf(episode))
    yield* run("UPDATE tasks SET episode_id = ? WHERE task_id = ? AND episode_id IS NULL", episode.id, task)
  for (const use of settlement.uses) {
    yield* settleUse(episode, use, now)
    if (use.contradicted) yield* noteContradiction(use.memory, { episode: episode.id, now })
    if (use.renewedUntil !== undefined) yield* renew(use.memory, use.renewedUntil, { episode: episode.id, now })
  }
  yield* refreshMetrics(settlement.uses.map(({ memory }) => memory))
  yield* run(
    "UPDATE episodes SET processed = 1, injected = ?, skip_reason = ? WHERE episode_id = ?",
    Number(settlement.injected),
    skipReason ?? null,
    episode.id,
  )
  yield* run(
    "UPDATE projects SET processed = processed + 1, last_processed = ? WHERE project_id = ?",
    episode.id,
    episode.project,
  )
}

/** Marks an episode processed without a writer; a processed episode is left unchanged. */
export function* skipEpisode(id: string, skipReason: string, settlement: Settlement, now: string): Steps<void> {
  const episode = yield* readEpisode(id)
  if (!episode) throw new Error(`episode ${id} not found`)
  if (!episode.processed) yield* finishEpisode(episode, settlement, { now, skipReason })
}

function* settleUse(episode: StoredEpisode, use: SettledUse, now: string): Steps<void> {
  const task = use.task ?? (yield* addUnaskedTask(episode))
  yield* run(
    `INSERT INTO memory_uses (memory_id, task_id, ts, asked, injected)
     SELECT memory_id, task_id, ts, asked, 0 FROM memories, tasks WHERE memory_id = ? AND task_id = ?
     ON CONFLICT DO NOTHING`,
    use.memory,
    task,
  )
  yield* run(
    `UPDATE memory_uses SET episode_id = coalesce(episode_id, :episode), settled_at = :now,
       exposed = CASE WHEN exposed = 1 THEN 1 ELSE :exposed END, cited = CASE WHEN cited = 1 THEN 1 ELSE :cited END,
       outcome = coalesce(outcome, :outcome), regret_saved = regret_saved + :saved, net_regret = net_regret + :net
     WHERE memory_id = :memory AND task_id = :task`,
    {
      episode: episode.id,
      now: episode.end || now,
      exposed: Number(use.exposed),
      cited: Number(use.cited),
      outcome: use.hit ? "hit" : use.miss ? "miss" : null,
      saved: use.regretSaved,
      net: use.netRegret,
      memory: use.memory,
      task,
    },
  )
}

/** The second time the flag changes, and the next evaluation ends the memory. */
function* noteContradiction(id: string, note: { episode: string; now: string }): Steps<void> {
  const [memory] = yield* memoriesByIds([id])
  if (!memory) return
  const [known, next] = memory.flags.includes(contradicted.once)
    ? [contradicted.once, contradicted.twice]
    : ["", contradicted.once]
  const flags = [...memory.flags.filter((flag) => flag !== known && flag !== next), next]
  yield* changeMemory(id, { flags }, { action: "contradicted", reason: "the user said the opposite", ...note })
}

/** A hit extends the expiry and never shortens it. */
function* renew(id: string, until: string, note: { episode: string; now: string }): Steps<void> {
  const [memory] = yield* memoriesByIds([id])
  if (memory?.expires === undefined || memory.expires >= until) return
  yield* changeMemory(id, { expires: until }, { action: "renewed", reason: "it helped", ...note })
}

/** An episode whose agent never asked for a context still counts as one task. */
function* addUnaskedTask({ id, project, session, start, end }: StoredEpisode): Steps<string> {
  const task = `t-${sha256(`${id}\nnobody asked`).slice(0, 12)}`
  yield* run(
    `INSERT INTO tasks (task_id, project_id, session_id, task_hash, ts, asked, episode_id) VALUES (?, ?, ?, '', ?, 0, ?)
     ON CONFLICT DO NOTHING`,
    task,
    project,
    session,
    start || end,
    id,
  )
  return task
}

/** Means over the latest episodes with, or without, injected memories. */
export function* readBaseline(project: string, window: number, injections: "with" | "without"): Steps<Baseline> {
  const row = yield* one<Baseline>(
    `SELECT count(*) AS episodes, CAST(coalesce(avg(error_count), 0) AS DOUBLE PRECISION) AS errors,
       CAST(coalesce(avg(retry_loops), 0) AS DOUBLE PRECISION) AS retries
     FROM (SELECT error_count, retry_loops FROM episodes WHERE project_id = ? AND injected = ${injections === "with" ? 1 : 0}
       ORDER BY end_ts DESC, episode_id LIMIT ?) AS latest`,
    yield* currentProjectId(project),
    window,
  )
  return row ? { ...row } : { episodes: 0, errors: 0, retries: 0 }
}

type EpisodeSessionRow = { client: ClientId; session: string }

/** A project's agent sessions with their closed episodes, newest first; those of sub-agents only if requested. */
export function* readSessionEpisodes(project: string, filter: SessionFilter): Steps<SessionEpisodes[]> {
  const id = yield* currentProjectId(project)
  const rows = yield* all<EpisodeSessionRow>(
    `SELECT client, session_id AS session FROM episodes
     WHERE project_id = :id AND client <> 'drey' AND summary_json IS DISTINCT FROM ''
       AND (:all = 1 OR parent_session IS NULL)
       AND (CAST(:only AS TEXT) IS NULL OR client = :client OR session_id IN (SELECT value FROM json_each(:only)))
     GROUP BY client, session_id HAVING max(end_ts) >= :since
     ORDER BY max(end_ts) DESC, client, session_id LIMIT :limit`,
    {
      id,
      client: filter.of?.client ?? null,
      only: filter.of === undefined ? null : JSON.stringify(filter.of.sessions),
      since: filter.since ?? "",
      all: Number(filter.subAgents === true),
      limit: filter.limit,
    },
  )
  const sessions: SessionEpisodes[] = []
  for (const { client, session } of rows) {
    const episodes = yield* all<EpisodeRow>(
      `SELECT ${episodeColumns} FROM episodes WHERE client = ? AND session_id = ? AND project_id = ?
         AND summary_json IS DISTINCT FROM '' ORDER BY ordinal`,
      client,
      session,
      id,
    )
    sessions.push({ client, session, episodes: episodes.map(toEpisode) })
  }
  return sessions
}
