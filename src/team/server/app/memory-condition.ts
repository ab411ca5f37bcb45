import { statusesNamed } from "../../../formats/item-status.ts"
import { nameKey } from "../../../formats/matches-query.ts"
import { parseDuration } from "../../../formats/parse-duration.ts"
import type { Query, QueryFilter, QueryKey } from "../../../formats/query.ts"
import { instantOf } from "../../../formats/timestamp.ts"
import { staleAfterMs } from "../../../recall/browse/item-row.ts"
import { fromEpisodes } from "../memories/to-team-memory.ts"

/** What a query lets through, as SQL on the table `memories`, with the values of its names. */
export type MemoryCondition = { sql: string; values: Record<string, string> }

/** The status that is shown, from the one that is kept and the time. */
export const shownStatus = `CASE WHEN status = 'deprecated' THEN 'ended' WHEN expires_at <= :now THEN 'expired'
  WHEN status = 'active' THEN 'proven' ELSE 'on trial' END`

/** Who is shown to have shared it. */
export const shownAuthor = "coalesce(contributed_by, :episodes)"

/** In use, and for months nobody has been handed it. */
const isStale = `(status <> 'deprecated' AND pinned = 0 AND :stale >
  (SELECT coalesce(last_used_at, created_at) FROM memory_metrics WHERE memory_metrics.memory_id = memories.memory_id))`

/** Something has one of each of these, so several filters mean any of them; of the other keys all must hold. */
const anyWillDo: ReadonlySet<QueryKey> = new Set(["type", "author", "scope", "source", "status", "id"])

/** Of words each must stand in the text: the index knows better, but not of what has ended. */
export function conditionOf({ filters, terms }: Query, now: Date): MemoryCondition {
  const values: MemoryCondition["values"] = {
    now: now.toISOString(),
    episodes: fromEpisodes,
    stale: new Date(now.getTime() - staleAfterMs).toISOString(),
  }
  const name = (value: string) => {
    const key = `v${Object.keys(values).length}`
    values[key] = value
    return `:${key}`
  }
  const holds = (filter: QueryFilter) => filterSql(filter, now, name)
  const wanted = filters.filter(({ negated }) => !negated)
  const groups = wanted.flatMap((filter, at) => {
    if (!anyWillDo.has(filter.key)) return [[filter]]
    const alike = wanted.filter(({ key }) => key === filter.key)
    return wanted.indexOf(alike[0] ?? filter) === at ? [alike] : []
  })
  const holding = (text: string) => `lower(text) LIKE ${name(`%${escapeLike(text)}%`)} ESCAPE '!'`
  const parts = [
    ...groups.map((group) => group.map(holds).join(" OR ")),
    ...filters.filter(({ negated }) => negated).map((filter) => `(${holds(filter)}) IS NOT TRUE`),
    ...terms.map(({ text, negated }) => (negated ? `NOT ${holding(text)}` : holding(text))),
  ]
  return { sql: parts.length === 0 ? "1 = 1" : parts.map((part) => `(${part})`).join(" AND "), values }
}

function filterSql({ key, value }: QueryFilter, now: Date, name: (value: string) => string): string {
  switch (key) {
    case "type":
      return `kind = ${name(value)}`
    case "author":
      return `lower(${shownAuthor}) = ${name(nameKey(value))}`
    case "scope":
      return `scope = ${name(value.toLowerCase())}`
    case "source":
      return value === "learned" ? "1 = 1" : "1 = 0"
    case "id":
      return `memory_id = ${name(value)}`
    case "status":
      return `${shownStatus} IN (${statusesNamed(value).map(name).join(", ")})`
    case "tag":
      return tagSql(nameKey(value), name)
    case "after":
      return `created_at >= ${name(isoOf(instantOf(value)))}`
    case "before":
      return `created_at < ${name(isoOf(instantOf(value)))}`
    case "recent":
      return `created_at >= ${name(isoOf(now.getTime() - (parseDuration(value) ?? 0)))}`
  }
}

/** A tag is the key of a fact, a flag, or a project. */
function tagSql(tag: string, name: (value: string) => string): string {
  if (tag === "stale") return isStale
  const flag = `lower(flags) LIKE ${name(`%"${escapeLike(tag)}"%`)} ESCAPE '!'`
  const same = name(tag)
  return `lower(key) = ${same} OR lower(project_id) = ${same} OR ${flag}`
}

function isoOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

function escapeLike(text: string): string {
  return text.toLowerCase().replace(/[!%_]/g, "!$&")
}
