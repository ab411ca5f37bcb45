import type { Database } from "../disk/sqlite.ts"
import { pathsIn } from "../formats/file-paths.ts"
import { nameKey } from "../formats/source-text.ts"
import { apartSources, firstLearnedRow } from "./candidates.ts"
import { itemIndexes, readMeta, writeMeta } from "./index-file.ts"
import type { Item, OriginItems, UpdateOutcome } from "./index-store.ts"
import { linkItems } from "./item-links.ts"
import { columnValues, type HashedItem, hashItem, itemColumns, placeKeys } from "./item-rows.ts"
import { cutPassages } from "./passages.ts"
import { wordsWriter } from "./term-lists.ts"
import { claimModel, vectorsWriter } from "./vectors-writer.ts"

/** The source of static vectors; another `id` invalidates all earlier vectors. */
export type VectorSource = { id: string; embed(texts: string[]): Float32Array[] }

export type Change = { changed: OriginItems[]; gone: string[]; seen: ReadonlyMap<string, string> | undefined }

/** Applies a change to the tables. The caller has started a write transaction. */
export function writeItems(database: Database, change: Change, embedder: VectorSource | undefined): UpdateOutcome {
  const { changed, gone, overtaken } = dropSettled(database, change)
  const work = openWork(database, embedder)
  const vanished: (OldRow & { origin: number })[] = []
  const appeared: (PositionedItem & { origin: number })[] = []
  let reworded = 0
  let touched = 0

  for (const { key, stamp, items } of [...changed, ...gone.map((key) => ({ key, stamp: undefined, items: [] }))]) {
    const origin = stamp === undefined ? numberOf(database, key) : writeOrigin(database, key, stamp)
    if (origin === undefined) continue
    const diff = diffOrigin(oldRows(database, origin), items)
    for (const one of diff.shifted) work.shift(one.row, one)
    for (const one of diff.restated) work.restate(one.row, origin, one)
    for (const one of diff.reworded) work.reword(one.row, origin, one)
    for (const one of diff.vanished) vanished.push({ ...one, origin })
    for (const one of diff.appeared) appeared.push({ ...one, origin })
    reworded += diff.reworded.length
    touched += diff.reworded.length + diff.restated.length
    if (stamp === undefined) database.prepare("DELETE FROM origins WHERE number = ?").run(origin)
  }

  const moved = matchMoved(vanished, appeared)
  for (const { from, to } of moved) work.restate(from.row, to.origin, to)
  const movedRows = new Set(moved.map(({ from }) => from.row))
  const movedItems = new Set(moved.map(({ to }) => to))
  const removed = vanished.filter(({ row }) => !movedRows.has(row))
  const added = appeared.filter((one) => !movedItems.has(one))
  for (const { row } of removed) work.remove(row)
  work.add(added)

  work.finish()
  if (removed.length + added.length + touched + moved.length > 0) {
    keepAliases(database, removed, added)
    linkItems(database)
  }
  return { added: added.length, changed: reworded, removed: removed.length, overtaken }
}

/** Skips changes that another process has already made, and origins in a state that the caller does not know. */
function dropSettled(
  database: Database,
  { changed, gone, seen }: Change,
): Omit<Change, "seen"> & { overtaken: string[] } {
  const stampOf = (key: string) =>
    database.prepare<{ stamp: string }>("SELECT stamp FROM origins WHERE key = ?").get(key)?.stamp
  const overtaken: string[] = []
  const isOurs = (key: string) => {
    if (!seen || stampOf(key) === seen.get(key)) return true
    overtaken.push(key)
    return false
  }
  return {
    changed: changed.filter(({ key, stamp }) => stampOf(key) !== stamp && isOurs(key)),
    gone: gone.filter((key) => stampOf(key) !== undefined && isOurs(key)),
    overtaken,
  }
}

function numberOf(database: Database, key: string): number | undefined {
  return database.prepare<{ number: number }>("SELECT number FROM origins WHERE key = ?").get(key)?.number
}

function writeOrigin(database: Database, key: string, stamp: string): number {
  const written = database
    .prepare<{ number: number }>(
      `INSERT INTO origins (key, stamp) VALUES (?, ?)
       ON CONFLICT (key) DO UPDATE SET stamp = excluded.stamp RETURNING number`,
    )
    .get(key, stamp)
  return (written as { number: number }).number
}

function oldRows(database: Database, origin: number): OldRow[] {
  return database
    .prepare<OldRow>(
      "SELECT row, id, position, line, words_hash, body_hash, rest_hash FROM items WHERE origin = ? ORDER BY position",
    )
    .all(origin)
}

/** An item that moved from one origin to another with the same text keeps its row. */
function matchMoved<From extends OldRow, To extends PositionedItem>(
  vanished: From[],
  appeared: To[],
): { from: From; to: To }[] {
  const leaving = new Map<string, From[]>()
  for (const one of vanished) {
    const key = `${one.id}\0${one.words_hash}`
    leaving.set(key, [...(leaving.get(key) ?? []), one])
  }
  return appeared.flatMap((to) => {
    const from = leaving.get(`${to.item.id}\0${to.words}`)?.shift()
    return from ? [{ from, to }] : []
  })
}

const manyItems = 500

function openWork(database: Database, embedder: VectorSource | undefined) {
  const words = wordsWriter(database)
  if (embedder) claimModel(database, "static", embedder.id)
  const vectors = { static: vectorsWriter(database, "static"), minilm: vectorsWriter(database, "minilm") }
  const names = itemColumns.join(", ")
  const marks = itemColumns.map(() => "?").join(", ")
  const insertItem = database.prepare(
    `INSERT INTO items (row, origin, position, line, ${names}) VALUES (?, ?, ?, ?, ${marks})`,
  )
  const tags = tagsWriter(database)
  const insertContent = database.prepare("INSERT INTO contents (row, text, payload) VALUES (?, ?, ?)")
  const lastRows = {
    rows: Number(readMeta(database, "rows") ?? 0),
    learnedRows: Number(readMeta(database, "learnedRows") ?? firstLearnedRow - 1),
  }

  const embed = (row: number, title: string, text: string) => {
    if (embedder) vectors.static.put(row, embedder.embed(cutPassages(title, text)))
    else vectors.static.remove(row)
  }
  const restate = (row: number, origin: number, placed: PositionedItem) => {
    const { item, position } = placed
    database
      .prepare(`UPDATE items SET (origin, position, line, ${names}) = (?, ?, ?, ${marks}) WHERE row = ?`)
      .run(origin, position, item.line, ...columnValues(placed), row)
    database.prepare("UPDATE contents SET text = ?, payload = ? WHERE row = ?").run(item.text, item.payload, row)
    tags.remove(row)
    tags.put(row, item)
  }

  /** Table by table: switching tables with every item would take twice as long. */
  const addTo = (lane: keyof typeof lastRows, added: (PositionedItem & { origin: number })[]) => {
    const firstRow = lastRows[lane] + 1
    lastRows[lane] += added.length
    added.forEach((placed, index) => {
      const { item, origin, position } = placed
      insertItem.run(firstRow + index, origin, position, item.line, ...columnValues(placed))
      tags.put(firstRow + index, item)
    })
    added.forEach(({ item }, index) => {
      insertContent.run(firstRow + index, item.text, item.payload)
    })
    words.put(
      firstRow,
      added.map(({ item }) => item),
    )
    if (!embedder) return
    added.forEach(({ item: { title, text } }, index) => {
      vectors.static.add(firstRow + index, embedder.embed(cutPassages(title, text)))
    })
  }

  return {
    shift(row: number, { position, item }: PositionedItem) {
      database.prepare("UPDATE items SET position = ?, line = ? WHERE row = ?").run(position, item.line, row)
    },
    restate,
    reword(row: number, origin: number, placed: PositionedItem) {
      restate(row, origin, placed)
      words.remove(row)
      words.put(row, [placed.item])
      vectors.minilm.remove(row)
      embed(row, placed.item.title, placed.item.text)
    },
    add(added: (PositionedItem & { origin: number })[]) {
      const isFirstOfAll = added.length >= manyItems && !database.prepare("SELECT 1 FROM items LIMIT 1").get()
      if (isFirstOfAll) database.exec(itemIndexes.drop)
      const isApart = ({ item }: PositionedItem) => apartSources.includes(item.source)
      addTo(
        "rows",
        added.filter((one) => !isApart(one)),
      )
      addTo("learnedRows", added.filter(isApart))
      if (isFirstOfAll) database.exec(itemIndexes.create)
    },
    remove(row: number) {
      words.remove(row)
      vectors.static.remove(row)
      vectors.minilm.remove(row)
      database.prepare("DELETE FROM contents WHERE row = ?").run(row)
      database.prepare("DELETE FROM items WHERE row = ?").run(row)
      tags.remove(row)
    },
    /** Adds the static vectors that an update without an embedder left out, and writes everything collected. */
    finish() {
      if (embedder) {
        const missing = database.prepare<{ row: number; title: string; text: string }>(
          `SELECT items.row, title, text FROM items JOIN contents USING (row)
           WHERE NOT EXISTS (SELECT 1 FROM static_vectors WHERE static_vectors.row = items.row)`,
        )
        for (const { row, title, text } of missing.all()) embed(row, title, text)
      }
      const writes = Number(readMeta(database, "writes") ?? 0) + 1
      words.flush()
      vectors.static.flush(writes)
      vectors.minilm.flush(writes)
      for (const [lane, last] of Object.entries(lastRows)) writeMeta(database, lane, last)
      writeMeta(database, "writes", writes)
    },
  }
}

/** A stored item, as far as comparing needs it. */
type OldRow = {
  row: number
  id: string
  position: number
  line: number
  words_hash: string
  body_hash: string
  rest_hash: string
}

/** An item with its position. */
type PositionedItem = HashedItem & { position: number }

export type OriginDiff = {
  /** Only moved within the origin. */
  shifted: (PositionedItem & { row: number })[]
  /** The same text, but other fields changed. */
  restated: (PositionedItem & { row: number })[]
  reworded: (PositionedItem & { row: number })[]
  vanished: OldRow[]
  appeared: PositionedItem[]
}

/** Compares the stored items of an origin with its current ones; unchanged items are in no list. */
function diffOrigin(old: OldRow[], items: Item[]): OriginDiff {
  const diff: OriginDiff = { shifted: [], restated: [], reworded: [], vanished: [], appeared: [] }
  const byId = new Map<string, OldRow[]>()
  for (const row of old) byId.set(row.id, [...(byId.get(row.id) ?? []), row])
  items.forEach((item, position) => {
    const placed = { ...hashItem(item), position }
    const before = byId.get(placed.item.id)?.shift() // duplicate ids are matched by their order
    if (!before) diff.appeared.push(placed)
    else if (before.words_hash !== placed.words) diff.reworded.push({ ...placed, row: before.row })
    else if (before.rest_hash !== placed.rest) diff.restated.push({ ...placed, row: before.row })
    else if (before.position !== position || before.line !== item.line)
      diff.shifted.push({ ...placed, row: before.row })
  })
  for (const rows of byId.values()) diff.vanished.push(...rows)
  return diff
}

/** An edited title changes the id: the id that vanished becomes an alias of the one with the same text. */
function keepAliases(database: Database, removed: OldRow[], added: PositionedItem[]): void {
  const isThere = (id: string) => database.prepare("SELECT 1 FROM items WHERE id = ?").get(id) !== undefined
  const leaving = groupBy(
    removed.filter(({ id, body_hash }) => body_hash !== "" && !isThere(id)),
    ({ body_hash }) => body_hash,
  )
  const coming = groupBy(leaving.size === 0 ? [] : added, ({ body }) => body)
  for (const [body, olds] of leaving) {
    const [old, news] = [olds[0], coming.get(body)]
    // Two items with the same text: it is ambiguous which became which.
    if (!old || olds.length > 1 || news?.length !== 1 || !news[0]) continue
    const id = news[0].item.id
    database.prepare("UPDATE aliases SET id = ? WHERE id = ?").run(id, old.id)
    database.prepare("INSERT OR REPLACE INTO aliases (alias, id) VALUES (?, ?)").run(old.id, id)
  }
  if (!database.prepare("SELECT 1 FROM aliases LIMIT 1").get()) return
  const drop = database.prepare("DELETE FROM aliases WHERE alias = ?") // an item's own id is not an alias of another
  for (const { item } of added) drop.run(item.id)
}

function groupBy<Value>(values: Value[], keyOf: (value: Value) => string): Map<string, Value[]> {
  const groups = new Map<string, Value[]>()
  for (const value of values) {
    const key = keyOf(value)
    groups.set(key, [...(groups.get(key) ?? []), value])
  }
  return groups
}

/** Stores which rows have which tag, related reference or file, so that a few are found among many without a scan. */
function tagsWriter(database: Database) {
  const insert = database.prepare("INSERT OR IGNORE INTO tags (tag, row) VALUES (?, ?)")
  const insertRelated = database.prepare("INSERT OR IGNORE INTO related (key, row) VALUES (?, ?)")
  const insertPlace = database.prepare("INSERT OR IGNORE INTO places (place) VALUES (?)")
  const place = database.prepare(
    "INSERT OR IGNORE INTO placed (place, row) SELECT number, ? FROM places WHERE place = ?",
  )
  const drop = database.prepare("DELETE FROM tags WHERE row = ?")
  const dropPlaced = database.prepare("DELETE FROM placed WHERE row = ?")
  const dropRelated = database.prepare("DELETE FROM related WHERE row = ?")
  return {
    put(row: number, { tags, related = [], places, title, text, pathPrefix = "" }: Item) {
      for (const tag of tags) insert.run(nameKey(tag), row)
      for (const key of related) insertRelated.run(key, row)
      const files = () => pathsIn(`${pathPrefix}/ ${title}\n${text}`)
      for (const key of new Set(placeKeys(places ?? { files: files() }))) {
        insertPlace.run(key)
        place.run(row, key)
      }
    },
    remove(row: number) {
      drop.run(row)
      dropRelated.run(row)
      dropPlaced.run(row)
    },
  }
}
