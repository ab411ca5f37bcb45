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

const mostTags = 100

/** How many have each value, the commonest first; counted by the database. */
export function* facetsOf({ sql, values }: MemoryCondition): Steps<ItemFacets> {
  const rows = yield* all<{ type: string; scope: string; status: string; author: string; count: number }>(
    `SELECT kind AS type, scope, ${shownStatus} AS status, ${shownAuthor} AS author, count(*) AS count
     FROM memories WHERE ${sql} GROUP BY 1, 2, 3, 4`,
    values,
  )
  const tags = yield* all<{ tag: string; count: number }>(
    `SELECT tag, sum(count) AS count FROM (
       SELECT key AS tag, count(*) AS count FROM memories WHERE key IS NOT NULL AND ${sql} GROUP BY key
       UNION ALL SELECT project_id, count(*) FROM memories WHERE project_id IS NOT NULL AND ${sql} GROUP BY project_id
     ) AS tags GROUP BY tag ORDER BY 2 DESC, tag LIMIT :mostTags`,
    { ...values, mostTags },
  )
  const tally = (shown: (row: (typeof rows)[number]) => string) => {
    const counts = new Map<string, number>()
    for (const row of rows) counts.set(shown(row), (counts.get(shown(row)) ?? 0) + row.count)
    return mostCommon(counts)
  }
  return {
    type: tally(({ type }) => type),
    author: tally(({ author }) => author),
    scope: tally(({ scope }) => scope),
    tag: mostCommon(new Map(tags.map(({ tag, count }) => [tag, Number(count)]))),
    status: tally(({ status }) => status),
    source: tally(() => "learned"),
  }
}
