import { hash } from "node:crypto"
import type { SqlValue } from "../disk/sqlite.ts"
import { plainPath } from "../formats/file-paths.ts"
import { nameKeys } from "./filter-sql.ts"
import type { Item, StoredItem } from "./index-store.ts"

/** The columns of `items` that come from the item alone, besides its line. */
export const itemColumns = [
  "id",
  "source",
  "type",
  "class",
  "load",
  "marked",
  "agent",
  "scope",
  "at",
  "day_only",
  "expires",
  "governed",
  "title",
  "author",
  "contributors",
  "tags",
  "path_prefix",
  "path",
  "supersedes",
  "superseded_by",
  "author_keys",
  "words_hash",
  "body_hash",
  "rest_hash",
] as const

/** What an item is found by with `file:`, `session:` and `client:`. */
export function placeKeys(places: Item["places"]): string[] {
  if (!places) return []
  const { files, session, client } = places
  return [
    ...files.map((file) => `file:${plainPath(file)}`),
    ...(session === undefined ? [] : [`session:${session}`]),
    ...(client === undefined ? [] : [`client:${client}`]),
  ]
}

/** An item with hashes that show whether its text, or anything else, changed. */
export type HashedItem = {
  item: Item
  words: string
  /** Identifies its text under another title; "" if it has none. */
  body: string
  rest: string
}

export function hashItem(given: Item): HashedItem {
  const item = withoutNul(given)
  const { title, text, tags, author, contributors, pathPrefix, related = [], places } = item
  const {
    id,
    source,
    type,
    class: memoryClass,
    load,
    marked,
    agent,
    scope,
    path,
    at,
    dayOnly,
    expires,
    governed,
  } = item
  const named = [...tags, "", author, "", ...contributors, "", pathPrefix ?? "", ...related, ...placeKeys(places)].join(
    "\0",
  )
  const guidance = [load, marked ?? false]
  const rest = [id, source, type, memoryClass, guidance, agent, scope, path, at, dayOnly ?? false, expires, governed]
  const textHash = digest(text)
  return {
    item,
    words: digest(`${title}\0${textHash}\0${named}`),
    body: text.trim() === "" ? "" : textHash,
    rest: digest(`${JSON.stringify([rest, item.supersedes, item.supersededBy])}\0${item.payload}`),
  }
}

/** SQLite's drivers end a text at its first NUL; it is replaced by U+FFFD, as in HTML. JSON columns have none. */
function withoutNul(item: Item): Item {
  const { id, title, text, author, payload, path } = item
  if (![id, title, text, author, payload, path].some((value) => value.includes("\0"))) return item
  const clean = (value: string) => value.replaceAll("\0", "\ufffd")
  return {
    ...item,
    id: clean(id),
    title: clean(title),
    text: clean(text),
    author: clean(author),
    payload: clean(payload),
    path: clean(path),
  }
}

export function columnValues({ item, words, body, rest }: HashedItem): SqlValue[] {
  return [
    item.id,
    item.source,
    item.type,
    item.class,
    item.load,
    Number(item.marked ?? false),
    item.agent?.toLowerCase() ?? null,
    item.scope,
    item.at ?? null,
    Number(item.dayOnly ?? false),
    item.expires ?? null,
    Number(item.governed),
    item.title,
    item.author,
    JSON.stringify(item.contributors),
    JSON.stringify(item.tags),
    item.pathPrefix ?? null,
    item.path,
    JSON.stringify(item.supersedes),
    JSON.stringify(item.supersededBy),
    nameKeys([item.author, ...item.contributors]),
    words,
    body,
    rest,
  ]
}

function digest(text: string): string {
  return hash("sha256", text, "base64").slice(0, 24) // 144 bits
}

/** A row of `items` with its content, origin and links, as selected by `storedItemSql`. */
export type StoredItemRow = {
  [Key in
    | "id"
    | "source"
    | "type"
    | "class"
    | "load"
    | "scope"
    | "title"
    | "author"
    | "path"
    | "text"
    | "payload"]: Item[Key]
} & {
  row: number
  origin: string
  position: number
  line: number
  marked: number
  agent: string | null
  at: number | null
  day_only: number
  expires: number | null
  governed: number
  contributors: string
  tags: string
  path_prefix: string | null
  older: string
  newer: string
}

/** Selects everything of the items in `from`, a FROM clause with the table `items` in it. */
export function storedItemSql(from: string): string {
  return `SELECT items.row, origins.key AS origin, items.position, items.line, items.id, items.source, items.type, items.class,
    items.load, items.marked, items.agent, items.scope, items.at, items.day_only, items.expires, items.governed, items.title, items.author,
    items.contributors, items.tags, items.path_prefix, items.path, contents.text, contents.payload,
    (SELECT json_group_array(older) FROM (SELECT older FROM links WHERE newer = items.id ORDER BY older)) AS older,
    (SELECT json_group_array(newer) FROM (SELECT newer FROM links WHERE older = items.id ORDER BY newer)) AS newer
    FROM ${from}`
}

export const withContent = "JOIN contents ON contents.row = items.row JOIN origins ON origins.number = items.origin"

export function toStoredItem(row: StoredItemRow): StoredItem {
  return {
    row: row.row,
    origin: row.origin,
    position: row.position,
    id: row.id,
    source: row.source,
    type: row.type,
    class: row.class,
    load: row.load,
    ...(row.marked === 1 ? { marked: true } : {}),
    title: row.title,
    text: row.text,
    tags: JSON.parse(row.tags),
    author: row.author,
    contributors: JSON.parse(row.contributors),
    agent: row.agent ?? undefined,
    scope: row.scope,
    pathPrefix: row.path_prefix ?? undefined,
    path: row.path,
    line: row.line,
    at: row.at ?? undefined,
    ...(row.day_only === 1 ? { dayOnly: true } : {}),
    expires: row.expires ?? undefined,
    governed: row.governed === 1,
    supersedes: JSON.parse(row.older),
    supersededBy: JSON.parse(row.newer),
    payload: row.payload,
  }
}
