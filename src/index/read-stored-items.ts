import type { Database } from "../disk/sqlite.ts"
import { idBeginnings, isLongEnough } from "../formats/typed-id.ts"
import type { FilterSql } from "./filter-sql.ts"
import type { StoredItem } from "./index-store.ts"
import type { ItemSource } from "./item.ts"
import { type ItemRow, storedItemSql, toStoredItem, withContent } from "./item-rows.ts"

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
}

/** Reads whole items, within a snapshot opened by the caller. */
export const readItems = {
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

  byRows(database: Database, rows: number[]): StoredItem[] {
    return all(
      database,
      `json_each(?) AS wanted CROSS JOIN items ON items.row = wanted.value ${withContent} ORDER BY wanted.key`,
      JSON.stringify(rows),
    )
  },

  byFilter(database: Database, filter: FilterSql, limit = -1): StoredItem[] {
    const from = `items ${withContent} WHERE ${filter.sql} ORDER BY items.at DESC NULLS LAST, origins.key, items.position LIMIT ?`
    return database
      .prepare<ItemRow>(storedItemSql(from))
      .all(...filter.values, limit)
      .map(toStoredItem)
  },

  /** The ids that a typed one may mean: itself, the target of an alias, or all that start with it. */
  idsLike(database: Database, typed: string): string[] {
    const beginnings = idBeginnings(typed)
    for (const id of new Set([typed, ...beginnings.slice(0, 1)])) {
      if (database.prepare("SELECT 1 FROM items WHERE id = ?").get(id)) return [id]
      const aliased = database.prepare<{ id: string }>("SELECT id FROM aliases WHERE alias = ?").get(id)
      if (aliased) return [aliased.id]
    }
    if (!isLongEnough(typed)) return []
    const below = database.prepare<{ id: string }>("SELECT DISTINCT id FROM items WHERE id >= ? AND id < ? ORDER BY id")
    return beginnings.flatMap((each) => below.all(each, `${each}\u{10ffff}`).map(({ id }) => id))
  },
}

function all(database: Database, from: string, value: string): StoredItem[] {
  return database.prepare<ItemRow>(storedItemSql(from)).all(value).map(toStoredItem)
}

function comesBefore(one: StoredItem, other: StoredItem): boolean {
  const order = sourceOrder[one.source] - sourceOrder[other.source]
  if (order !== 0) return order < 0
  return one.origin === other.origin ? one.position < other.position : one.origin < other.origin
}
