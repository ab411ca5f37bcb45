import type { SqlValue } from "../disk/sqlite.ts"
import { collapseWhiteSpace } from "../formats/source-text.ts"
import type { Attributes, Filter } from "./index-store.ts"

/** A condition on `items`, with the values for its question marks. */
export type FilterSql = { sql: string; values: SqlValue[] }

export function filterSql(filter: Filter, now: number): FilterSql {
  const parts = [ownership(filter), ...supersession(filter), ...standing(filter, now), ...attributes(filter, " AND ")]
  for (const { sql, values } of attributes(filter.not ?? {}, " OR "))
    parts.push({ sql: `(${sql}) IS NOT TRUE`, values })
  if (filter.anyOf)
    parts.push(
      together(
        filter.anyOf.map((each) => together(attributes(each, " AND "), " AND ")),
        " OR ",
      ),
    )
  return together(parts, " AND ")
}

function together(parts: FilterSql[], operator: " AND " | " OR "): FilterSql {
  const sql = parts.map((part) => `(${part.sql})`).join(operator)
  return { sql: sql || String(operator === " AND "), values: parts.flatMap(({ values }) => values) }
}

function ownership({ agent, owner }: Filter): FilterSql {
  if (owner !== undefined) return { sql: "items.agent = ?", values: [nameKey(owner)] }
  if (agent === undefined) return { sql: "items.agent IS NULL", values: [] }
  if (agent === "*") return { sql: "TRUE", values: [] }
  return { sql: "items.agent IS NULL OR items.agent = ?", values: [nameKey(agent)] }
}

function supersession({ superseded, asOf }: Filter): FilterSql[] {
  if (superseded === true) return []
  const then = asOf === undefined ? "" : " AND (newer_at IS NULL OR newer_at <= ?)"
  const not = superseded === "only" ? "" : "NOT "
  const sql = `${not}EXISTS (SELECT 1 FROM links WHERE older = items.id${then})`
  return [{ sql, values: asOf === undefined ? [] : [asOf] }]
}

function standing({ archived, expired, asOf }: Filter, now: number): FilterSql[] {
  const parts: FilterSql[] = []
  if (!archived) parts.push({ sql: "items.load NOT IN ('ARCHIVE', 'NEVER')", values: [] })
  if (expired === "only") parts.push({ sql: "items.expires <= ?", values: [asOf ?? now] })
  if (expired === "without") parts.push({ sql: "items.expires IS NULL OR items.expires > ?", values: [asOf ?? now] })
  if (asOf !== undefined) parts.push({ sql: "items.at IS NULL OR items.at <= ?", values: [asOf] })
  return parts
}

function attributes(wanted: Attributes, betweenTags: " AND " | " OR "): FilterSql[] {
  const { sources, types, classes, loads, authors, tags, scopes, ids, after, before } = wanted
  const parts: FilterSql[] = []
  const anyOf = (column: string, values: string[] | undefined) => {
    if (values) parts.push({ sql: `${column} IN (SELECT value FROM json_each(?))`, values: [JSON.stringify(values)] })
  }
  anyOf("items.source", sources)
  anyOf("items.type", types)
  anyOf("items.class", classes)
  anyOf("items.load", loads)
  if (authors) parts.push(named("author_keys", authors, " OR "))
  if (tags) parts.push(named("tag_keys", tags, betweenTags))
  anyOf(
    "lower(items.scope)",
    scopes?.map((scope) => scope.toLowerCase()),
  )
  if (ids) {
    const list = JSON.stringify(ids)
    const sql = `items.id IN (SELECT value FROM json_each(?)) OR (items.id IN
      (SELECT id FROM aliases WHERE alias IN (SELECT value FROM json_each(?))))`
    parts.push({ sql, values: [list, list] })
  }
  if (after !== undefined) parts.push({ sql: "items.at >= ?", values: [after] })
  if (before !== undefined) parts.push({ sql: "items.at < ?", values: [before] })
  return parts
}

function named(column: string, names: string[], together: string): FilterSql {
  const sql = names.map(() => `instr(items.${column}, ?) > 0`).join(together)
  return { sql: sql || (together === " AND " ? "TRUE" : "FALSE"), values: names.map((name) => nameKeys([name])) }
}

/** Names as they are compared, each on a line of its own so that none is found inside another. */
export function nameKeys(names: string[]): string {
  return `\n${names.map(nameKey).join("\n")}\n`
}

function nameKey(name: string): string {
  return collapseWhiteSpace(name).normalize("NFC").toLowerCase()
}
