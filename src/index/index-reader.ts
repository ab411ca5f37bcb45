import type { Database } from "../disk/sqlite.ts"
import { idPrefixes, namesAnId } from "../formats/ids.ts"
import { findCandidates, findHolding, type LoadedRows } from "./candidates.ts"
import { type FilterSql, filterSql } from "./filter-sql.ts"
import { openUsableIndex, readMeta } from "./index-file.ts"
import type { IndexFileReader, IndexStore, ItemSource, Model, StoredItem } from "./index-store.ts"
import { type StoredItemRow, storedItemSql, toStoredItem, withContent } from "./item-rows.ts"
import { bitReader, type PackedBits } from "./packed-bits.ts"

/** An open file with its in-memory state. */
export type IndexSession = {
  database: Database
  bits: Record<Model, (writes: number) => PackedBits>
  /** What was read since the last write, so that a process that answers many questions reads it once. */
  recent: RecentReads
}

type RecentReads = {
  writes: number
  items: Map<number, StoredItem>
  selections: Map<string, readonly StoredItem[]>
  candidates: LoadedRows
}

function nothingRead(writes: number): RecentReads {
  return { writes, items: new Map(), selections: new Map(), candidates: { models: "", rows: new Map() } }
}

/** Room for the questions of one session; more would only take memory. */
const mostKept = { items: 1500, selections: 8, selected: 300 }

/** The ids of the models whose vectors may be used. */
export type ModelIds = Record<Model, string | undefined>

/** Opens an index read-only; undefined if there is none that can be used as it is. */
export function openIndexReader(
  path: string,
  ids: ModelIds,
): (IndexFileReader & Pick<IndexStore, "idsLike" | "close">) | undefined {
  const database = openUsableIndex(path)
  if (!database) return undefined
  const session = openSession(database)
  return {
    ...indexReader(() => session, ids),
    idsLike: async (typed) => readItems.idsLike(session.database, typed),
    close: async () => database.close(),
  }
}

export function openSession(opened: Database): IndexSession {
  const database = rememberStatements(opened)
  const bits = { static: bitReader(database, "static"), minilm: bitReader(database, "minilm") }
  return { database, bits, recent: nothingRead(-1) }
}

/** The read methods of an index, each with its own snapshot. */
export function indexReader(current: () => IndexSession, ids: ModelIds): IndexFileReader {
  const read = <Result>(query: (database: Database) => Result): Result => {
    const { database } = current()
    return database.transaction("deferred", () => query(database) as never)
  }
  const writesIn = (database: Database) => Number(readMeta(database, "writes") ?? 0)
  /** What was read before, as long as the snapshot is the same. */
  const recent = (database: Database): RecentReads => {
    const session = current()
    const writes = writesIn(database)
    if (session.recent.writes !== writes) session.recent = nothingRead(writes)
    return session.recent
  }
  return {
    origins: async () => read(readStamps),
    isBehind: async () =>
      ids.static !== undefined && read((database) => readMeta(database, "model.static") !== ids.static),
    version: async () => read(writesIn),
    holding: async (request) => read((database) => findHolding(database, request)),
    find: async (request) =>
      read((database) => {
        const { writes, candidates } = recent(database)
        const readBits = (model: Model) => {
          const id = ids[model]
          if (id === undefined || readMeta(database, `model.${model}`) !== id) return undefined
          return current().bits[model](writes)
        }
        return findCandidates(database, request, readBits, candidates)
      }),
    items: async (wanted) => read((database) => readItems.byIds(database, wanted)),
    idsLike: async (typed) => read((database) => readItems.idsLike(database, typed)),
    rows: async (rows) => read((database) => keptRows(database, rows, recent(database).items)),
    select: async (filter, { now, limit }) =>
      read((database) => keptSelection(database, filterSql(filter, now), limit, recent(database))),
  }
}

function keptRows(database: Database, rows: readonly number[], kept: RecentReads["items"]): StoredItem[] {
  const missing = rows.filter((row) => !kept.has(row))
  const read = missing.length === 0 ? [] : readItems.byRows(database, missing)
  const found = new Map(read.map((item) => [item.row, item]))
  const items = rows.flatMap((row) => found.get(row) ?? kept.get(row) ?? [])
  keep(items, kept)
  return items
}

function keptSelection(
  database: Database,
  filter: FilterSql,
  limit: number | undefined,
  { selections, items: kept }: RecentReads,
): StoredItem[] {
  const key = JSON.stringify([filter.sql, filter.values, limit])
  const known = selections.get(key)
  if (known) return [...known]
  // One object for each row: what was derived from an item is remembered for the object.
  const items = readItems.byFilter(database, filter, limit).map((item) => kept.get(item.row) ?? item)
  if (selections.size >= mostKept.selections) selections.clear()
  if (items.length <= mostKept.selected) {
    selections.set(key, items)
    keep(items, kept)
  }
  return [...items]
}

/** Remembers items, and forgets those that were not asked for the longest. */
function keep(items: readonly StoredItem[], kept: RecentReads["items"]): void {
  for (const item of items) {
    kept.delete(item.row)
    kept.set(item.row, item)
  }
  for (const row of kept.keys()) {
    if (kept.size <= mostKept.items) break
    kept.delete(row)
  }
}

/** Prepares each statement once, on first use. */
function rememberStatements(database: Database): Database {
  const statements = new Map<string, ReturnType<Database["prepare"]>>()
  const prepare = (sql: string) => {
    const known = statements.get(sql)
    if (known) return known
    const statement = database.prepare(sql)
    statements.set(sql, statement)
    return statement
  }
  return { ...database, prepare: prepare as Database["prepare"] }
}

/** The more authoritative source comes first if several items have one id. */
const sourceOrder: Record<ItemSource, number> = {
  decisions: 0,
  inbox: 1,
  archive: 2,
  history: 3,
  skills: 4,
  memory: 5,
  policy: 6,
  learned: 7,
  session: 8,
  docs: 9,
  conversation: 10,
  commit: 11,
}

/** Reads whole items, within a snapshot opened by the caller. */
const readItems = {
  byIds(database: Database, ids: string[]): StoredItem[] {
    const current = ids.map((id) => {
      const [only, ...others] = readItems.idsLike(database, id)
      return only !== undefined && others.length === 0 ? only : id
    })
    const from = `items ${withContent} WHERE items.id IN (SELECT value FROM json_each(?))`
    const best = new Map<string, StoredItem>()
    for (const item of all(database, from, JSON.stringify(current))) {
      const other = best.get(item.id)
      if (!other || comesBefore(item, other)) best.set(item.id, item)
    }
    return [...new Set(current)].flatMap((id) => best.get(id) ?? [])
  },

  byRows(database: Database, rows: readonly number[]): StoredItem[] {
    return all(
      database,
      `json_each(?) AS wanted CROSS JOIN items ON items.row = wanted.value ${withContent} ORDER BY wanted.key`,
      JSON.stringify(rows),
    )
  },

  byFilter(database: Database, filter: FilterSql, limit = -1): StoredItem[] {
    const from = `items ${withContent} WHERE ${filter.sql} ORDER BY items.at DESC NULLS LAST, origins.key, items.position LIMIT ?`
    return database
      .prepare<StoredItemRow>(storedItemSql(from))
      .all(...filter.values, limit)
      .map(toStoredItem)
  },

  /** The ids that a typed one may mean: itself, the target of an alias, or all that start with it. */
  idsLike(database: Database, typed: string): string[] {
    const beginnings = idPrefixes(typed)
    for (const id of new Set([typed, ...beginnings.slice(0, 1)])) {
      if (database.prepare("SELECT 1 FROM items WHERE id = ?").get(id)) return [id]
      const aliased = database.prepare<{ id: string }>("SELECT id FROM aliases WHERE alias = ?").get(id)
      if (aliased) return [aliased.id]
    }
    if (!namesAnId(typed)) return []
    const below = database.prepare<{ id: string }>("SELECT DISTINCT id FROM items WHERE id >= ? AND id < ? ORDER BY id")
    return beginnings.flatMap((each) => below.all(each, `${each}\u{10ffff}`).map(({ id }) => id))
  },
}

function all(database: Database, from: string, value: string): StoredItem[] {
  return database.prepare<StoredItemRow>(storedItemSql(from)).all(value).map(toStoredItem)
}

function comesBefore(one: StoredItem, other: StoredItem): boolean {
  const order = sourceOrder[one.source] - sourceOrder[other.source]
  if (order !== 0) return order < 0
  return one.origin === other.origin ? one.position < other.position : one.origin < other.origin
}

/** Key → stamp of every origin. */
function readStamps(database: Database): Map<string, string> {
  // A page that was cut off reads as NULL: no stamp is current then, and the update finds the damage.
  const rows = database
    .prepare<{ key: string; stamp: string }>("SELECT key, coalesce(stamp, '') AS stamp FROM origins")
    .all()
  return new Map(rows.map(({ key, stamp }) => [key, stamp]))
}

/** The origins that were added, changed or removed since these stamps were read. */
export function changedSince(database: Database, seen: ReadonlyMap<string, string>): string[] {
  const stamps = readStamps(database)
  const keys = new Set([...stamps.keys(), ...seen.keys()])
  return [...keys].filter((key) => stamps.get(key) !== seen.get(key))
}
