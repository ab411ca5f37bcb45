import type { Database, SqlValue } from "../disk/sqlite.ts"
import { type FilterSql, filterSql } from "./filter-sql.ts"
import type { Filter, FindRequest, FoundCandidates, IndexCandidate, Item, ItemSource, Model } from "./index-store.ts"
import type { PackedBits } from "./packed-bits.ts"
import { likenessOf, passageCosines, wordsPerVector, writeBits } from "./quantization.ts"
import { type HashedTerm, queryTerms, searchTerms } from "./query-terms.ts"
import {
  fieldWeights,
  lengthOf,
  mentionsAmendment,
  readLengths,
  readTermList,
  scoreWords,
  type TermList,
  titleWordsIn,
} from "./term-lists.ts"

type RowFilter = FilterSql & { rows: [first: number, last: number] }

/**
 * The bits of a model as of this snapshot, which `find` searches besides the tables; undefined if its vectors cannot be
 * used.
 */
export type ReadBits = (model: Model) => PackedBits | undefined

/**
 * Proposes items by words and by each vector, and computes every signal for each. Runs within one snapshot, to which
 * the rows in `kept` belong.
 */
export function findCandidates(
  database: Database,
  request: FindRequest,
  readBits: ReadBits,
  kept: LoadedRows,
): FoundCandidates {
  const lengths = readLengths(database)
  const filter = { ...filterSql(request.filter, request.now), rows: rowsOf(request.filter) }
  const terms = queryTerms(database, request.text, lengths.items, request.complete)
  const usable = request.vectors.filter(({ model }) => readBits(model) !== undefined)

  const byWords = findByWords(database, searchTerms(terms, lengths.items), filter, request.limit)
  const rows = new Set(byWords)
  for (const { model, vector } of usable) {
    for (const row of findByVector(database, readBits(model) as PackedBits, vector, filter, request.limit))
      rows.add(row)
  }
  for (const row of neighborRows(database, byWords.slice(0, request.neighbours ?? 0), filter)) rows.add(row)
  for (const row of replacementRows(database, [...rows], request, filter)) rows.add(row)

  const averageLength = lengthOf(lengths) / Math.max(1, lengths.items)
  const loaded = loadCandidates(
    database,
    [...rows],
    usable.map(({ model }) => model),
    kept,
  )
  const successors = successorsOf(
    database,
    request,
    loaded.map(({ id }) => id),
  )
  const vectorOf = (model: Model) => usable.find((one) => one.model === model)?.vector
  const candidates = loaded.map((row) =>
    toCandidate(row, scoreWords(row.list, terms, averageLength), vectorOf, successors),
  )
  return {
    candidates,
    terms: terms.map(({ term, documents, idf }) => ({ term, documents, idf })),
    items: lengths.items,
  }
}

/** The ids of all items that contain a word of the text, the best by words first. Runs within one snapshot. */
export function findHolding(database: Database, { text, complete }: Pick<FindRequest, "text" | "complete">): string[] {
  const { items } = readLengths(database)
  const terms = searchTerms(queryTerms(database, text, items, complete), items)
  if (terms.length === 0) return []
  const found = database.prepare<{ id: string }>(
    `SELECT items.id FROM (SELECT rowid AS row, ${wordsScore} AS score FROM words WHERE words MATCH ?) AS held
     CROSS JOIN items ON items.row = held.row ORDER BY held.score, items.row`,
  )
  return found.all(anyOf(terms)).map(({ id }) => id)
}

const wordsScore = `bm25(words, ${fieldWeights.title}, ${fieldWeights.text}, ${fieldWeights.extra})`

function anyOf(terms: readonly HashedTerm[]): string {
  return terms.map(({ term }) => `"${term}"`).join(" OR ")
}

/** How many rows are read before the filter, per wanted row: most filters keep most rows. */
const firstLook = 2

function findByWords(database: Database, terms: HashedTerm[], filter: RowFilter, limit: number): number[] {
  if (terms.length === 0) return []
  const question = anyOf(terms)
  const look = limit * firstLook
  const best = database.prepare<{ row: number; fits: number }>(
    `SELECT items.row, (${filter.sql}) AS fits FROM (SELECT rowid AS row, ${wordsScore} AS score FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ? ORDER BY score LIMIT ?) AS best
     CROSS JOIN items ON items.row = best.row ORDER BY best.score, items.row`,
  )
  const looked = best.all(...filter.values, question, ...filter.rows, look)
  const fitting = looked.filter(({ fits }) => fits === 1).slice(0, limit)
  if (fitting.length === limit || looked.length < look) return fitting.map(({ row }) => row)
  const exact = database.prepare<{ row: number }>(
    `SELECT items.row FROM words CROSS JOIN items ON items.row = words.rowid
     WHERE words MATCH ? AND words.rowid BETWEEN ? AND ? AND ${filter.sql} ORDER BY ${wordsScore}, items.row LIMIT ?`,
  )
  return exact.all(question, ...filter.rows, ...filter.values, limit).map(({ row }) => row)
}

/** The nearest by their bits; the similarity of the full vectors is computed with the other signals. */
function findByVector(
  database: Database,
  packed: PackedBits,
  vector: Float32Array,
  filter: RowFilter,
  limit: number,
): number[] {
  if (packed.count === 0) return []
  const query = new Int32Array(wordsPerVector)
  writeBits(vector, query, 0)
  const look = limit * firstLook
  const ownersOf = (places: number[]) => [...new Set(places.map((place) => packed.owners[place] as number))]
  const [first, last] = filter.rows
  const rows = ownersOf(packed.nearest(query, look, (owner) => owner >= first && owner <= last))
  const best = fitting(database, rows, filter)
  if (best.length >= limit || best.length === rows.length) return best.slice(0, limit)
  const everywhere = database
    .prepare<{ row: number }>(`SELECT items.row FROM items WHERE items.row BETWEEN ? AND ? AND ${filter.sql}`)
    .all(first, last, ...filter.values)
  const allowed = new Set(everywhere.map(({ row }) => row))
  return ownersOf(packed.nearest(query, look, (owner) => allowed.has(owner))).slice(0, limit)
}

/** The rows that pass the filter, in the same order. */
function fitting(database: Database, rows: number[], filter: FilterSql): number[] {
  const held = database.prepare<{ row: number }>(
    `SELECT items.row FROM json_each(?) AS wanted CROSS JOIN items ON items.row = wanted.value WHERE ${filter.sql} ORDER BY wanted.key`,
  )
  return held.all(JSON.stringify(rows), ...filter.values).map(({ row }) => row)
}

function neighborRows(database: Database, rows: number[], filter: FilterSql): number[] {
  if (rows.length === 0) return []
  const beside = database.prepare<{ row: number }>(
    `SELECT items.row FROM json_each(?) AS wanted CROSS JOIN items AS found ON found.row = wanted.value
     CROSS JOIN items ON items.origin = found.origin AND items.position BETWEEN found.position - 2 AND found.position + 2 WHERE ${filter.sql}`,
  )
  return beside.all(JSON.stringify(rows), ...filter.values).map(({ row }) => row)
}

/** The rows that replaced an item, over any number of steps: a request may match only the old item's words. */
function replacementRows(database: Database, rows: number[], request: FindRequest, filter: FilterSql): number[] {
  if (!request.filter.superseded || rows.length === 0) return []
  if (!database.prepare("SELECT 1 FROM links LIMIT 1").get()) return []
  const asOf = request.filter.asOf ?? Number.MAX_SAFE_INTEGER
  const newest = database.prepare<{ row: number }>(
    `WITH RECURSIVE replacing (id) AS (
       SELECT links.newer FROM json_each(?) AS found CROSS JOIN items ON items.row = found.value
       CROSS JOIN links ON links.older = items.id WHERE coalesce(newer_at, 0) <= ?
       UNION SELECT links.newer FROM replacing CROSS JOIN links ON links.older = replacing.id WHERE coalesce(newer_at, 0) <= ?)
     SELECT items.row FROM replacing CROSS JOIN items ON items.id = replacing.id WHERE ${filter.sql}`,
  )
  return newest.all(JSON.stringify(rows), asOf, asOf, ...filter.values).map(({ row }) => row)
}

type LoadedRow = Pick<Item, "id" | "title" | "source"> & {
  row: number
  origin: string
  position: number
  at: number | null
  list: TermList
  amends: boolean
  titleWords: () => Set<number>
  static: Uint8Array | null
  minilm: Uint8Array | null
}

/** Rows that were loaded before from the same snapshot, with the vectors of these models. */
export type LoadedRows = { models: string; rows: Map<number, LoadedRow> }

const mostKept = 2000

/** Only what ranking needs: a handful of hundreds of candidates is shown, and every value costs time. */
function loadCandidates(database: Database, rows: number[], wanted: Model[], kept: LoadedRows): LoadedRow[] {
  const missing = rows.filter((row) => !kept.rows.has(row))
  const isOther = kept.models !== wanted.join()
  if (isOther || kept.rows.size + missing.length > mostKept) kept.rows.clear()
  kept.models = wanted.join()
  for (const row of readCandidates(database, kept.rows.size === 0 ? rows : missing, wanted)) kept.rows.set(row.row, row)
  return rows.flatMap((row) => kept.rows.get(row) ?? [])
}

function readCandidates(database: Database, rows: number[], wanted: Model[]): LoadedRow[] {
  if (rows.length === 0) return []
  const column = (model: Model) => (wanted.includes(model) ? `${model}_vectors.vectors` : "NULL")
  const joins = wanted.map((model) => `LEFT JOIN ${model}_vectors ON ${model}_vectors.row = items.row`).join(" ")
  const statement = database.prepare<Omit<LoadedRow, "list" | "amends" | "titleWords"> & { list: Uint8Array }>(
    `SELECT items.row, origins.key AS origin, items.position, items.id, items.title, items.source, items.at, term_lists.list,
     ${column("static")} AS static, ${column("minilm")} AS minilm
     FROM json_each(?) AS wanted CROSS JOIN items ON items.row = wanted.value
     CROSS JOIN origins ON origins.number = items.origin CROSS JOIN term_lists ON term_lists.row = items.row ${joins}`,
  )
  return statement.all(JSON.stringify(rows)).map((row) => {
    const list = readTermList(row.list)
    let words: Set<number> | undefined
    const titleWords = () => {
      words ??= titleWordsIn(list)
      return words
    }
    return { ...row, list, titleWords, amends: mentionsAmendment(list) }
  })
}

/** The ids that replaced each id; no query if the filter excludes superseded items. */
function successorsOf(database: Database, { filter }: FindRequest, ids: string[]): Map<string, string[]> {
  const successors = new Map<string, string[]>()
  if (!filter.superseded) return successors
  const values: SqlValue[] = [JSON.stringify(ids), filter.asOf ?? null]
  const links = database.prepare<{ older: string; newer: string }>(
    `SELECT older, newer FROM links WHERE older IN (SELECT value FROM json_each(?1))
     AND (?2 IS NULL OR newer_at IS NULL OR newer_at <= ?2) ORDER BY older, newer`,
  )
  for (const { older, newer } of links.all(...values)) successors.set(older, [...(successors.get(older) ?? []), newer])
  return successors
}

function toCandidate(
  row: LoadedRow,
  { words, coverage }: { words: number; coverage: number },
  vectorOf: (model: Model) => Float32Array | undefined,
  successors: Map<string, string[]>,
): IndexCandidate {
  const cosinesOf = (model: Model, stored: Uint8Array | null) => {
    const vector = vectorOf(model)
    return vector && stored ? passageCosines(vector, stored) : undefined
  }
  const table = cosinesOf("static", row.static)
  const minilm = cosinesOf("minilm", row.minilm)
  return {
    row: row.row,
    titleWords: row.titleWords,
    allWords: () => new Set(row.list.hashes),
    amends: row.amends,
    origin: row.origin,
    position: row.position,
    id: row.id,
    title: row.title,
    source: row.source,
    at: row.at ?? undefined,
    words,
    coverage,
    static: likenessOf(table),
    minilm: likenessOf(minilm),
    passages: minilm ?? table ?? [],
    supersededBy: successors.get(row.id) ?? [],
  }
}

/** Searched separately from the rest of their index, which may far outnumber them. */
export const apartSources: readonly ItemSource[] = ["learned", "conversation"]

/**
 * Learned memories have their own rows, from this number on. Entries and memories are searched separately, and one kind
 * may far outnumber the other: row ranges find either kind without reading the other.
 */
export const firstLearnedRow = 2 ** 30

const lastRow = 2 ** 31 - 1

/** The first and last row of everything that a filter allows. */
function rowsOf({ sources, not }: Filter): [first: number, last: number] {
  if (sources?.every((source) => apartSources.includes(source))) return [firstLearnedRow, lastRow]
  const isWithout = not?.sources?.includes("learned") || sources?.some((each) => apartSources.includes(each)) === false
  return isWithout ? [1, firstLearnedRow - 1] : [1, lastRow]
}
