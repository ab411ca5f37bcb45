import { statSync } from "node:fs"
import { type Database, isBusy } from "../disk/sqlite.ts"
import { bitReader } from "./bit-blocks.ts"
import { listMissingVectors, writePassageVectors } from "./deep-vectors.ts"
import { filterSql } from "./filter-sql.ts"
import { findCandidates } from "./find-candidates.ts"
import type { IndexStore, Model, UpdateOutcome } from "./index-store.ts"
import { dumpIndex, indexStats } from "./inspect-index.ts"
import { readMeta } from "./meta.ts"
import { type IndexFile, openIndexFile } from "./open-index-file.ts"
import { readItems } from "./read-stored-items.ts"
import { derivedTables } from "./schema.ts"
import { type Change, type StaticEmbedder, writeItems } from "./write-items.ts"

export type SqliteIndexOptions = {
  /** Makes the static vectors as items come in; without it they are left out until an update has one. */
  embedder?: StaticEmbedder | undefined
  /** The model whose vectors `putVectors("minilm", …)` brings and `find` may use. */
  minilm?: string | undefined
}

export type SqliteIndex = IndexStore & {
  /** What a file that could not be used was renamed to when this one was opened. */
  wasSetAside: string | undefined
  /** For when a method throws that the file is damaged: begins with an empty one and returns what the old is called now, undefined if another process has done it. */
  setAside(): Promise<string | undefined>
}

/** The index in a SQLite file, which any number of processes may have open: readers never wait, writers wait for each other. */
export async function sqliteIndex(path: string, options: SqliteIndexOptions = {}): Promise<SqliteIndex> {
  const { embedder } = options
  let file = await openIndexFile(path)
  let session = openSession(file)
  const reopen = (next: IndexFile) => {
    file = next
    session = openSession(next)
    return next.setAside
  }
  const read = <Result>(query: (database: Database) => Result): Result =>
    session.database.transaction("deferred", () => query(session.database) as never)
  const write = <Result>(change: (database: Database) => Result) =>
    waiting(() => session.database.transaction("immediate", () => change(session.database) as never) as Result)
  const update = (change: Change) => write((database) => writeItems(database, change, embedder))
  const ids: Record<Model, string | undefined> = { static: embedder?.id, minilm: options.minilm }

  return {
    wasSetAside: file.setAside,
    async setAside() {
      session.database.close()
      return reopen(await openIndexFile(path, { damagedInode: file.inode }))
    },
    origins: async () =>
      read((database) => {
        const rows = database.prepare<{ key: string; stamp: string }>("SELECT key, stamp FROM origins").all()
        return new Map(rows.map(({ key, stamp }) => [key, stamp]))
      }),
    unreadable: async () =>
      read((database) =>
        database
          .prepare<{ key: string; message: string }>(
            "SELECT key, unreadable AS message FROM origins WHERE unreadable IS NOT NULL ORDER BY key",
          )
          .all()
          .map(({ key, message }) => ({ key, message })),
      ),
    update: async (changed, gone = [], seen) => update({ changed, gone, seen }),
    restamp: (origins, seen) =>
      write((database) => {
        const statement = database.prepare("UPDATE origins SET stamp = ? WHERE key = ? AND stamp = ?")
        for (const { key, stamp } of origins) statement.run(stamp, key, seen.get(key) ?? "")
      }),
    rebuild: async (origins) =>
      write((database): UpdateOutcome => {
        for (const table of derivedTables) database.exec(`DELETE FROM ${table}`)
        database.exec("INSERT INTO words (words) VALUES ('delete-all')")
        database.exec("DELETE FROM meta WHERE key NOT IN ('writes', 'rows')")
        return writeItems(database, { changed: origins, gone: [], seen: undefined }, embedder)
      }),
    find: async (request) =>
      read((database) =>
        findCandidates(database, request, (model) => {
          const id = ids[model]
          if (id === undefined || readMeta(database, `model.${model}`) !== id) return undefined
          return session.bits[model](Number(readMeta(database, "writes") ?? 0))
        }),
      ),
    items: async (wanted) => read((database) => readItems.byIds(database, wanted)),
    rows: async (rows) => read((database) => readItems.byRows(database, rows)),
    select: async (filter, { now, limit }) =>
      read((database) => readItems.byFilter(database, filterSql(filter, now), limit)),
    neighbours: async (rows) => read((database) => readItems.beside(database, rows)),
    resolve: async (id) => read((database) => readItems.currentId(database, id)),
    missingVectors: async (model, limit) => read((database) => listMissingVectors(database, model, ids[model], limit)),
    putVectors: async (model, vectors) =>
      write((database) => writePassageVectors(database, model, ids[model], vectors)),
    stats: async () => read((database) => ({ ...indexStats(database), bytes: sizeOf(path) })),
    dump: async () => read(dumpIndex),
    close: async () => session.database.close(),
  }
}

function openSession(file: IndexFile) {
  const database = rememberStatements(file.database)
  return { database, bits: { static: bitReader(database, "static"), minilm: bitReader(database, "minilm") } }
}

/** Prepares each statement once, when it is first asked for. */
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

const longestWait = 60_000

/** Somebody else's first build of a large index may take longer than SQLite waits for a lock. */
async function waiting<Result>(act: () => Result): Promise<Result> {
  const deadline = performance.now() + longestWait
  for (;;) {
    try {
      return act()
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

function sizeOf(path: string): number {
  return [path, `${path}-wal`].reduce((sum, part) => sum + (statSync(part, { throwIfNoEntry: false })?.size ?? 0), 0)
}
