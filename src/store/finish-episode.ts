import { sha256 } from "../disk/sha256.ts"
import type { Database } from "../disk/sqlite.ts"
import type { Baseline, SettledUse, Settlement, StoredEpisode } from "./learned-store.ts"
import { memoriesByIds } from "./memory-rows.ts"
import { refreshMetrics } from "./refresh-metrics.ts"
import { taskIdsOf } from "./tasks-of.ts"
import { changeMemory } from "./write-memory.ts"

/** Keeps what an episode showed about memories, closes its tasks, and marks it processed; an episode without injections counts for the baseline. */
export function finishEpisode(
  database: Database,
  episode: StoredEpisode,
  settlement: Settlement,
  { now, skipReason }: { now: string; skipReason?: string },
): void {
  const close = database.prepare("UPDATE tasks SET episode_id = ? WHERE task_id = ? AND episode_id IS NULL")
  for (const task of taskIdsOf(database, episode)) close.run(episode.id, task)
  for (const use of settlement.uses) {
    settleUse(database, episode, use, now)
    if (use.renewedUntil !== undefined) renew(database, use.memory, use.renewedUntil, { episode: episode.id, now })
  }
  refreshMetrics(
    database,
    settlement.uses.map(({ memory }) => memory),
  )
  database
    .prepare("UPDATE episodes SET processed = 1, injected = ?, skip_reason = ? WHERE episode_id = ?")
    .run(Number(settlement.injected), skipReason ?? null, episode.id)
  database
    .prepare("UPDATE projects SET processed = processed + 1, last_processed = ? WHERE project_id = ?")
    .run(episode.id, episode.project)
}

function settleUse(database: Database, episode: StoredEpisode, use: SettledUse, now: string): void {
  const task = use.task ?? addUnaskedTask(database, episode)
  database
    .prepare(
      `INSERT OR IGNORE INTO memory_uses (memory_id, task_id, ts, asked, injected)
       SELECT memory_id, task_id, ts, asked, 0 FROM memories, tasks WHERE memory_id = ? AND task_id = ?`,
    )
    .run(use.memory, task)
  database
    .prepare(
      `UPDATE memory_uses SET episode_id = coalesce(episode_id, :episode), settled_at = :now,
         exposed = max(coalesce(exposed, 0), :exposed), cited = max(coalesce(cited, 0), :cited),
         outcome = coalesce(outcome, :outcome), regret_saved = regret_saved + :saved, net_regret = net_regret + :net
       WHERE memory_id = :memory AND task_id = :task`,
    )
    .run({
      episode: episode.id,
      now: episode.end || now,
      exposed: Number(use.exposed),
      cited: Number(use.cited),
      outcome: use.hit ? "hit" : use.miss ? "miss" : null,
      saved: use.regretSaved,
      net: use.netRegret,
      memory: use.memory,
      task,
    })
}

/** What helped gets more time, never less. */
function renew(database: Database, id: string, until: string, note: { episode: string; now: string }): void {
  const [memory] = memoriesByIds(database, [id])
  if (memory?.expires === undefined || memory.expires >= until) return
  changeMemory(database, id, { expires: until }, { action: "renewed", reason: "it helped", ...note })
}

/** An episode whose agent never asked for a context is one task all the same. */
function addUnaskedTask(database: Database, { id, project, session, start, end }: StoredEpisode): string {
  const task = `t-${sha256(`${id}\nnobody asked`).slice(0, 12)}`
  database
    .prepare(
      `INSERT OR IGNORE INTO tasks (task_id, project_id, session_id, task_hash, ts, asked, episode_id) VALUES (?, ?, ?, '', ?, 0, ?)`,
    )
    .run(task, project, session, start || end, id)
  return task
}

/** Means over the last episodes in which nothing was handed out, or something was. */
export function readBaseline(database: Database, project: string, window: number, injected = false): Baseline {
  const row = database
    .prepare<Baseline>(
      `SELECT count(*) AS episodes, coalesce(avg(error_count), 0) AS errors, coalesce(avg(retry_loops), 0) AS retries
       FROM (SELECT error_count, retry_loops FROM episodes WHERE project_id = ? AND injected = ${injected ? 1 : 0} ORDER BY end_ts DESC, episode_id LIMIT ?)`,
    )
    .get(project, window)
  return row ?? { episodes: 0, errors: 0, retries: 0 }
}
