import type { Database } from "../disk/sqlite.ts"
import { knownAs } from "./known-as.ts"
import type { StoreCounts } from "./learned-store.ts"

/** How much there is, of one project (with what is global) or of all. */
export function countStore(database: Database, project: string | undefined, maxAttempts: number): StoreCounts {
  const id = project === undefined ? null : knownAs(database, project)
  const tally = (column: "status" | "kind") =>
    Object.fromEntries(
      database
        .prepare<{ name: string; n: number }>(
          `SELECT ${column} AS name, count(*) AS n FROM memories
           WHERE :id IS NULL OR project_id IS NULL OR project_id = :id GROUP BY ${column}`,
        )
        .all({ id })
        .map(({ name, n }) => [name, n]),
    )
  const episodes = database
    .prepare<StoreCounts["episodes"]>(
      `SELECT count(*) FILTER (WHERE processed AND skip_reason IS NULL) AS processed,
         count(*) FILTER (WHERE NOT processed AND attempts < :most) AS waiting,
         count(*) FILTER (WHERE NOT processed AND attempts >= :most) AS parked,
         count(*) FILTER (WHERE processed AND skip_reason IS NOT NULL) AS skipped
       FROM episodes WHERE :id IS NULL OR project_id = :id`,
    )
    .get({ id, most: maxAttempts })
  const number = (sql: string) => database.prepare<{ n: number }>(sql).get({ id })?.n ?? 0
  return {
    memories: { provisional: 0, active: 0, deprecated: 0, ...tally("status") },
    kinds: { preference: 0, invariant: 0, pattern: 0, guard: 0, note: 0, ...tally("kind") },
    episodes: { processed: 0, waiting: 0, parked: 0, skipped: 0, ...episodes },
    openTasks: number("SELECT count(*) AS n FROM open_tasks WHERE :id IS NULL OR project_id = :id"),
    transcripts: number(
      `SELECT count(*) AS n FROM (SELECT transcript FROM episodes WHERE :id IS NULL OR project_id = :id
         UNION SELECT transcript FROM open_tasks WHERE :id IS NULL OR project_id = :id)`,
    ),
  }
}
