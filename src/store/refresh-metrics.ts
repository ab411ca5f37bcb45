import { all, run, type Steps } from "./steps.ts"

/**
 * Metrics of memories and their refinements, each including everything it refines, computed from the recorded uses; a
 * task counts once, and so does a hit per episode.
 */
const sums = `
WITH RECURSIVE heirs (id) AS (
  SELECT memory_id FROM memories WHERE memory_id IN (SELECT value FROM json_each(?))
  UNION SELECT memory_id FROM memories JOIN heirs ON derived_from = heirs.id
), line (id, part) AS (
  SELECT id, id FROM heirs
  UNION SELECT id, (SELECT derived_from FROM memories WHERE memory_id = line.part) FROM line WHERE part IS NOT NULL
)
INSERT INTO memory_metrics (memory_id, use_count, opportunities, passed_over, suspected_regret_hits, regret_misses,
  estimated_regret_saved, net_regret, last_used_at, last_hit_at)
SELECT line.id,
  count(DISTINCT CASE WHEN injected = 1 THEN task_id END),
  count(DISTINCT task_id),
  count(DISTINCT CASE WHEN asked = 1 AND injected = 0 THEN task_id END),
  count(DISTINCT CASE WHEN outcome IN ('hit', 'helped') THEN coalesce(episode_id, task_id) END),
  count(DISTINCT CASE WHEN outcome IN ('miss', 'wrong') THEN coalesce(episode_id, task_id) END),
  coalesce(sum(regret_saved), 0), coalesce(sum(net_regret), 0),
  max(CASE WHEN injected = 1 THEN ts END),
  max(CASE WHEN outcome IN ('hit', 'helped') THEN settled_at END)
FROM line LEFT JOIN memory_uses ON memory_uses.memory_id = line.part WHERE TRUE GROUP BY line.id
ON CONFLICT (memory_id) DO UPDATE SET use_count = excluded.use_count, opportunities = excluded.opportunities,
  passed_over = excluded.passed_over, suspected_regret_hits = excluded.suspected_regret_hits, regret_misses = excluded.regret_misses,
  estimated_regret_saved = excluded.estimated_regret_saved, net_regret = excluded.net_regret,
  last_used_at = excluded.last_used_at, last_hit_at = excluded.last_hit_at`

/** Recomputes the metrics of these memories and of their refinements. */
export function* refreshMetrics(ids: readonly string[]): Steps<void> {
  yield* run(sums, JSON.stringify(ids))
}

/** Recomputes all metrics; a no-op if they were maintained correctly. */
export function* rebuildMetrics(): Steps<void> {
  const rows = yield* all<{ id: string }>("SELECT memory_id AS id FROM memories")
  yield* refreshMetrics(rows.map(({ id }) => id))
}
