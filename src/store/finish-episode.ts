import { sha256 } from "../disk/sha256.ts"
import { readEpisode } from "./episode-rows.ts"
import { knownAs } from "./known-as.ts"
import type { Baseline, SettledUse, Settlement, StoredEpisode } from "./learned-store.ts"
import { memoriesByIds } from "./memory-rows.ts"
import { refreshMetrics } from "./refresh-metrics.ts"
import { one, run, type Steps } from "./steps.ts"
import { taskIdsOf } from "./tasks-of.ts"
import { changeMemory } from "./write-memory.ts"

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
    yield* knownAs(project),
    window,
  )
  return row ? { ...row } : { episodes: 0, errors: 0, retries: 0 }
}
