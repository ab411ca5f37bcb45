import type { Query } from "../../../formats/query.ts"
import { type ItemTimeline, makeTimeline } from "../../../recall/browse/make-timeline.ts"
import { all, type Steps } from "../../../store/steps.ts"
import { asksTheIndex, searchRows } from "./find-memories.ts"
import { countOf } from "./list-memories.ts"
import type { MemoryLook } from "./look.ts"
import { conditionOf, type MemoryCondition } from "./memory-condition.ts"

/** More dots than this are a blot. */
const mostDots = 10_000

/** What a query finds over time; of very many the newest, and how many there were before them. */
export async function readTimeline(look: MemoryLook, query: Query): Promise<ItemTimeline> {
  if (asksTheIndex(query)) return makeTimeline(await searchRows(look, query))
  const condition = conditionOf(query, look.now)
  const dots = await look.read(newestOf(condition))
  const earlier = dots.length < mostDots ? 0 : (await look.read(countOf(condition))) - dots.length
  const timeline = makeTimeline(
    dots.map(({ id, type, created }) => ({ row: { id, type, at: Date.parse(created), source: "learned" } })),
  )
  return { ...timeline, weeks: timeline.weeks.map((week) => ({ ...week, total: week.total + earlier })) }
}

type Dot = { id: string; type: string; created: string }

function newestOf({ sql, values }: MemoryCondition): Steps<Dot[]> {
  return all<Dot>(
    `SELECT memory_id AS id, kind AS type, created_at AS created FROM memories WHERE ${sql}
     ORDER BY created_at DESC, memory_id LIMIT :mostDots`,
    { ...values, mostDots },
  )
}
