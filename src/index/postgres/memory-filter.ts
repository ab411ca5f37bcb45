import type { PostgresValue } from "../../disk/postgres/driver.ts"
import { textList } from "../../disk/postgres/write-array.ts"
import { nameKey } from "../filter-sql.ts"
import type { Attributes, Filter } from "../index-store.ts"

/** A condition on `memories` with its values; `from` is the number of the first `$n`. */
export type MemoryFilter = { sql: string; values: PostgresValue[] }

/** A filter translated for memories; they have no load and no owning agent, and a replaced memory has ended. */
export function memoryFilter(filter: Filter, now: number, from = 1): MemoryFilter {
  const values: PostgresValue[] = []
  const value = (given: PostgresValue) => `$${from - 1 + values.push(given)}`
  const parts = ["status <> 'deprecated'"]
  if (filter.owner !== undefined || filter.superseded === "only") parts.push("FALSE")
  const moment = new Date(filter.asOf ?? now).toISOString()
  if (filter.expired === "only") parts.push(`expires_at <= ${value(moment)}`)
  if (filter.expired === "without") parts.push(`(expires_at IS NULL OR expires_at > ${value(moment)})`)
  if (filter.asOf !== undefined) parts.push(`created_at <= ${value(moment)}`)
  parts.push(...attributes(filter, value, " AND "))
  for (const part of attributes(filter.not ?? {}, value, " OR ")) parts.push(`(${part}) IS NOT TRUE`)
  if (filter.anyOf) {
    const each = filter.anyOf.map((one) => attributes(one, value, " AND ").join(" AND ") || "TRUE")
    parts.push(`(${each.map((one) => `(${one})`).join(" OR ") || "FALSE"})`)
  }
  return { sql: parts.map((part) => `(${part})`).join(" AND "), values }
}

function attributes(
  wanted: Attributes,
  value: (given: PostgresValue) => string,
  betweenTags: " AND " | " OR ",
): string[] {
  const parts: string[] = []
  const among = (expression: string, names: readonly string[] | undefined) => {
    if (names) parts.push(`${expression} = ANY (${value(textList(names))}::text[])`)
  }
  if (wanted.sources) parts.push(String(wanted.sources.includes("learned")))
  if (wanted.classes) parts.push(String(wanted.classes.includes("LOCAL")))
  if (wanted.loads) parts.push(String(wanted.loads.includes("ON-DEMAND")))
  among("kind", wanted.types)
  among("lower(coalesce(contributed_by, owner_id))", wanted.authors?.map(nameKey))
  if (wanted.tags)
    parts.push(
      wanted.tags
        .map(nameKey)
        .map((tag) => (isKey(tag) ? `key = ${value(tag)}` : `strpos(lower(flags), ${value(`"${tag}"`)}) > 0`))
        .join(betweenTags) || "TRUE",
    )
  among(
    "scope",
    wanted.scopes?.map((scope) => scope.toLowerCase()),
  )
  among("path_prefix", wanted.pathPrefixes)
  if (wanted.inFolder) parts.push("path_prefix IS NOT NULL")
  among("memory_id", wanted.ids)
  if (wanted.after !== undefined) parts.push(`created_at >= ${value(new Date(wanted.after).toISOString())}`)
  if (wanted.before !== undefined) parts.push(`created_at < ${value(new Date(wanted.before).toISOString())}`)
  return parts
}

/** The keys of facts have a dot, `project.test.command`; the flags of memories have none. */
function isKey(tag: string): boolean {
  return tag.includes(".")
}
