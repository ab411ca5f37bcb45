import type { Database } from "../disk/sqlite.ts"
import { bitReader } from "./bit-blocks.ts"
import { filterSql } from "./filter-sql.ts"
import { findCandidates, findHolding } from "./find-candidates.ts"
import type { IndexReader, Model } from "./index-store.ts"
import { readMeta } from "./meta.ts"
import { openUsable } from "./open-usable.ts"
import type { PackedBits } from "./packed-bits.ts"
import { readStamps } from "./read-stamps.ts"
import { readItems } from "./read-stored-items.ts"

/** An open file with its in-memory state. */
export type Session = { database: Database; bits: Record<Model, (writes: number) => PackedBits> }

/** The ids of the models whose vectors may be used. */
export type ModelIds = Record<Model, string | undefined>

/** Opens an index read-only; undefined if there is none that can be used as it is. */
export function openIndexReader(path: string, ids: ModelIds): (IndexReader & { close(): void }) | undefined {
  const database = openUsable(path)
  if (!database) return undefined
  const session = openSession(database)
  return { ...indexReader(() => session, ids), close: () => database.close() }
}

export function openSession(opened: Database): Session {
  const database = rememberStatements(opened)
  return { database, bits: { static: bitReader(database, "static"), minilm: bitReader(database, "minilm") } }
}

/** The read methods of an index, each with its own snapshot. */
export function indexReader(current: () => Session, ids: ModelIds): IndexReader {
  const read = <Result>(query: (database: Database) => Result): Result => {
    const { database } = current()
    return database.transaction("deferred", () => query(database) as never)
  }
  return {
    origins: async () => read(readStamps),
    isBehind: async () =>
      ids.static !== undefined && read((database) => readMeta(database, "model.static") !== ids.static),
    version: async () => read((database) => Number(readMeta(database, "writes") ?? 0)),
    holding: async (request) => read((database) => findHolding(database, request)),
    find: async (request) =>
      read((database) =>
        findCandidates(database, request, (model) => {
          const id = ids[model]
          if (id === undefined || readMeta(database, `model.${model}`) !== id) return undefined
          return current().bits[model](Number(readMeta(database, "writes") ?? 0))
        }),
      ),
    items: async (wanted) => read((database) => readItems.byIds(database, wanted)),
    rows: async (rows) => read((database) => readItems.byRows(database, rows)),
    select: async (filter, { now, limit }) =>
      read((database) => readItems.byFilter(database, filterSql(filter, now), limit)),
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
