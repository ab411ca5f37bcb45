import type { SqlValue } from "../disk/sqlite.ts"
import { plainPath } from "../formats/file-paths.ts"
import { nameKey } from "../formats/source-text.ts"
import type { Attributes, Filter } from "./index-store.ts"

/** A condition on `items`, with the values of its placeholders. */
export type FilterSql = { sql: string; values: SqlValue[] }

export function filterSql(filter: Filter, now: number): FilterSql {
  const parts = [ownership(filter), ...supersession(filter), ...standing(filter, now), ...attributes(filter, " AND ")]
  for (const { sql, values } of attributes(filter.not ?? {}, " OR "))
    parts.push({ sql: `(${sql}) IS NOT TRUE`, values })
  if (filter.anyOf) parts.push(anyOf(filter.anyOf))
  return together(parts, " AND ")
}

function anyOf(alternatives: readonly Attributes[]): FilterSql {
  const onlyTags = alternatives.map(({ tags = [], ...others }) => (Object.keys(others).length === 0 ? tags : []))
  if (alternatives.length > 0 && onlyTags.every(({ length }) => length === 1)) return tagged(onlyTags.flat()) // served by an index
  return together(
    alternatives.map((each) => together(attributes(each, " AND "), " AND ")),
    " OR ",
  )
}

/** With one of the tags. */
function tagged(tags: readonly string[]): FilterSql {
  const sql = "items.row IN (SELECT row FROM tags WHERE tag IN (SELECT value FROM json_each(?)))"
  return { sql, values: [JSON.stringify(tags.map(nameKey))] }
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
  const { sources, types, classes, loads, marked, authors, tags, related, scopes, pathPrefixes, inFolder, ids } = wanted
  const { files, sessions, clients, after, before } = wanted
  const parts: FilterSql[] = []
  const anyOf = (column: string, values: string[] | undefined) => {
    if (values) parts.push({ sql: `${column} IN (SELECT value FROM json_each(?))`, values: [JSON.stringify(values)] })
  }
  anyOf("items.source", sources)
  anyOf("items.type", types)
  anyOf("items.class", classes)
  anyOf("items.load", loads)
  if (marked) parts.push({ sql: "items.marked = 1", values: [] })
  if (authors) parts.push(named(authors))
  if (tags)
    parts.push(
      together(
        tags.map((tag) => tagged([tag])),
        betweenTags,
      ),
    )
  if (related)
    parts.push(
      together(
        related.map((key) => ({ sql: "items.row IN (SELECT row FROM related WHERE key = ?)", values: [key] })),
        betweenTags,
      ),
    )
  if (files) parts.push(together(files.map(touching), betweenTags))
  if (sessions) parts.push(together(sessions.map(inSession), " OR "))
  if (clients)
    parts.push(
      together(
        clients.map((client) => inPlaces("place = ?", [`client:${client}`])),
        " OR ",
      ),
    )
  anyOf(
    "lower(items.scope)",
    scopes?.map((scope) => scope.toLowerCase()),
  )
  anyOf("items.path_prefix", pathPrefixes)
  if (inFolder) parts.push({ sql: "items.path_prefix IS NOT NULL", values: [] })
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

/** The file itself, everything below the folder, or a file of that name in a folder above; see `isFileMeant`. */
function touching(file: string): FilterSql {
  const path = plainPath(file)
  const below = [`file:${path}/`, `file:${path}0`] // "0" follows "/"
  const end = `/${path}`
  return inPlaces(
    "place = ? OR (place >= ? AND place < ?) OR (place >= 'file:' AND place < 'file;' AND substr(place, ?) = ?)",
    [`file:${path}`, ...below, -[...end].length, end],
  )
}

function inSession(session: string): FilterSql {
  return inPlaces("place >= ? AND place < ?", [`session:${session}`, `session:${session}\u{10ffff}`])
}

function inPlaces(condition: string, values: SqlValue[]): FilterSql {
  const sql = `items.row IN (SELECT placed.row FROM places JOIN placed ON placed.place = places.number WHERE ${condition.replaceAll(/\bplace\b/g, "places.place")})`
  return { sql, values }
}

function named(authors: string[]): FilterSql {
  const sql = authors.map(() => "instr(items.author_keys, ?) > 0").join(" OR ")
  return { sql: sql || "FALSE", values: authors.map((name) => nameKeys([name])) }
}

/** Names in normalized form, each on its own line so that none matches inside another. */
export function nameKeys(names: string[]): string {
  return `\n${names.map(nameKey).join("\n")}\n`
}
