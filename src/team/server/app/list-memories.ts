import { type ItemFacets, mostCommon } from "../../../recall/browse/browse-items.ts"
import type { Memory } from "../../../store/memory.ts"
import { memoriesByIds } from "../../../store/memory-rows.ts"
import { all, one, type Steps } from "../../../store/steps.ts"
import { type MemoryCondition, shownAuthor, shownStatus } from "./memory-condition.ts"

/** A page of what a condition lets through, newest first. */
export function* pageOf(
  { sql, values }: MemoryCondition,
  { limit, offset }: { limit: number; offset: number },
): Steps<Memory[]> {
  const rows = yield* all<{ id: string }>(
    `SELECT memory_id AS id FROM memories WHERE ${sql} ORDER BY created_at DESC, memory_id LIMIT :limit OFFSET :offset`,
    { ...values, limit, offset },
  )
  return yield* memoriesByIds(rows.map(({ id }) => id))
}

export function* countOf({ sql, values }: MemoryCondition): Steps<number> {
  const row = yield* one<{ count: number }>(`SELECT count(*) AS count FROM memories WHERE ${sql}`, values)
  return row?.count ?? 0
}

const mostKeys = 100

type FacetRow = Record<"type" | "scope" | "status" | "author" | "project", string | null> & { count: number }

/** How many there are, and how many have each value, the commonest first: all counted in one pass but for keys, of which there may be thousands. */
export function* facetsOf({ sql, values }: MemoryCondition): Steps<{ total: number; facets: ItemFacets }> {
  const rows = yield* all<FacetRow>(
    `SELECT type, scope, status, author, project, count(*) AS count FROM (
       SELECT kind AS type, scope, ${shownStatus} AS status, ${shownAuthor} AS author, project_id AS project FROM memories WHERE ${sql}
     ) AS found GROUP BY GROUPING SETS ((type), (scope), (status), (author), (project))`,
    values,
  )
  const keys = yield* all<{ key: string; count: number }>(
    `SELECT key, count(*) AS count FROM memories WHERE key IS NOT NULL AND (${sql}) GROUP BY key ORDER BY 2 DESC, key LIMIT :mostKeys`,
    { ...values, mostKeys },
  )
  const countsOf = (column: keyof Omit<FacetRow, "count">) =>
    rows.flatMap((row): [string, number][] => (row[column] === null ? [] : [[row[column], row.count]]))
  const shown = (counts: [string, number][]) => mostCommon(new Map(counts))
  const total = countsOf("type").reduce((sum, [, count]) => sum + count, 0)
  return {
    total,
    facets: {
      type: shown(countsOf("type")),
      author: shown(countsOf("author")),
      scope: shown(countsOf("scope")),
      tag: shown([...countsOf("project"), ...keys.map(({ key, count }): [string, number] => [key, count])]),
      status: shown(countsOf("status")),
      source: total === 0 ? [] : [{ value: "learned", count: total }],
    },
  }
}
