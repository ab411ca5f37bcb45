import { knownAs } from "./known-as.ts"
import type { StoreCounts } from "./learned-store.ts"
import { all, one, type Steps } from "./steps.ts"

const isOfProject = "(CAST(:project AS TEXT) IS NULL OR project_id = :project)"

/** Counts for one project (including global memories) or for all. */
export function* countStore(project: string | undefined, maxAttempts: number): Steps<StoreCounts> {
  const id = project === undefined ? null : yield* knownAs(project)
  const episodes = yield* one<StoreCounts["episodes"]>(
    `SELECT count(*) FILTER (WHERE processed = 1 AND skip_reason IS NULL) AS processed,
       count(*) FILTER (WHERE processed = 0 AND attempts < :most) AS waiting,
       count(*) FILTER (WHERE processed = 0 AND attempts >= :most) AS parked,
       count(*) FILTER (WHERE processed = 1 AND skip_reason IS NOT NULL) AS skipped
     FROM episodes WHERE ${isOfProject}`,
    { project: id, most: maxAttempts },
  )
  return {
    memories: { provisional: 0, active: 0, deprecated: 0, ...(yield* tallyMemories("status", id)) },
    kinds: { preference: 0, invariant: 0, pattern: 0, guard: 0, note: 0, ...(yield* tallyMemories("kind", id)) },
    episodes: { processed: 0, waiting: 0, parked: 0, skipped: 0, ...episodes },
    openTasks: yield* countOf(`SELECT session_id FROM open_tasks WHERE ${isOfProject}`, id),
    transcripts: yield* countOf(
      `SELECT transcript FROM episodes WHERE ${isOfProject} UNION SELECT transcript FROM open_tasks WHERE ${isOfProject}`,
      id,
    ),
  }
}

function* tallyMemories(column: "status" | "kind", project: string | null): Steps<Record<string, number>> {
  const rows = yield* all<{ name: string; n: number }>(
    `SELECT ${column} AS name, count(*) AS n FROM memories
     WHERE ${isOfProject} OR project_id IS NULL GROUP BY ${column}`,
    { project },
  )
  return Object.fromEntries(rows.map(({ name, n }) => [name, n]))
}

function* countOf(rows: string, project: string | null): Steps<number> {
  const row = yield* one<{ n: number }>(`SELECT count(*) AS n FROM (${rows}) AS counted`, { project })
  return row?.n ?? 0
}
