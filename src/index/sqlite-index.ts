import { statSync } from "node:fs"
import { type Database, retryWhileBusy, type SqlValue } from "../disk/sqlite.ts"
import { derivedTables, type OpenIndexFile, openIndexFile, readMeta, schemaVersion } from "./index-file.ts"
import { changedSince, indexReader, openSession } from "./index-reader.ts"
import {
  dimensions,
  type IndexStats,
  type IndexStore,
  type ItemSource,
  type Model,
  models,
  type UpdateOutcome,
} from "./index-store.ts"
import { type Change, type VectorSource, writeItems } from "./index-writer.ts"
import { readLengths } from "./term-lists.ts"
import { listMissingVectors, putBackVectors, takeVectors, writePassageVectors } from "./vectors-writer.ts"

export type SqliteIndexOptions = {
  /** Makes the static vectors as items are written; without it they are missing until an update has one. */
  embedder?: VectorSource | undefined
  /** The model of the vectors that `putVectors("minilm", …)` writes and `find` may use. */
  minilm?: string | undefined
}

export type SqliteIndex = IndexStore & {
  /** The new name of an unusable file that was moved aside on opening. */
  wasSetAside: string | undefined
  /**
   * For when a method reports a damaged file: starts an empty one and returns the new name of the old, undefined if
   * another process has done it.
   */
  setAside(): Promise<string | undefined>
}

/**
 * The index in a SQLite file that any number of processes may open: readers never wait, writers wait for each other.
 */
export async function sqliteIndex(path: string, options: SqliteIndexOptions = {}): Promise<SqliteIndex> {
  const { embedder } = options
  let file = await openIndexFile(path)
  let session = openSession(file.database)
  const reopen = (next: OpenIndexFile) => {
    file = next
    session = openSession(next.database)
    return next.setAside
  }
  const read = <Result>(query: (database: Database) => Result): Result =>
    session.database.transaction("deferred", () => query(session.database) as never)
  const write = <Result>(change: (database: Database) => Result) =>
    retryWhileBusy(() => session.database.transaction("immediate", () => change(session.database) as never) as Result)
  const update = (change: Change) => write((database) => writeItems(database, change, embedder))
  const ids: Record<Model, string | undefined> = { static: embedder?.id, minilm: options.minilm }

  return {
    ...indexReader(() => session, ids),
    wasSetAside: file.setAside,
    async setAside() {
      session.database.close()
      return reopen(await openIndexFile(path, { damagedInode: file.inode }))
    },
    update: async (changed, gone = [], seen) => update({ changed, gone, seen }),
    restamp: (origins, seen) =>
      write((database) => {
        const statement = database.prepare("UPDATE origins SET stamp = ? WHERE key = ? AND stamp = ?")
        for (const { key, stamp } of origins) statement.run(stamp, key, seen.get(key) ?? "")
      }),
    rebuild: async (origins, seen) =>
      write((database): UpdateOutcome => {
        const overtaken = seen ? changedSince(database, seen) : []
        if (overtaken.length > 0) return { added: 0, changed: 0, removed: 0, overtaken }
        const deep = takeVectors(database, "minilm", ids.minilm)
        for (const table of derivedTables) database.exec(`DELETE FROM ${table}`)
        database.exec("INSERT INTO words (words) VALUES ('delete-all')")
        database.exec("DELETE FROM meta WHERE key NOT IN ('writes', 'rows', 'learnedRows')")
        const outcome = writeItems(database, { changed: origins, gone: [], seen: undefined }, embedder)
        putBackVectors(database, "minilm", ids.minilm, deep)
        return outcome
      }),
    missingVectors: async (model, limit) => read((database) => listMissingVectors(database, model, ids[model], limit)),
    putVectors: async (model, vectors) =>
      write((database) => writePassageVectors(database, model, ids[model], vectors)),
    stats: async () => read((database) => ({ ...indexStats(database), bytes: sizeOf(path) })),
    dump: async () => read(dumpIndex),
    close: async () => session.database.close(),
  }
}

function sizeOf(path: string): number {
  return [path, `${path}-wal`].reduce((sum, part) => sum + (statSync(part, { throwIfNoEntry: false })?.size ?? 0), 0)
}

function indexStats(database: Database): Omit<IndexStats, "bytes"> {
  const count = (sql: string) => Number(database.prepare<{ n: number }>(`SELECT ${sql} AS n`).get()?.n ?? 0)
  const bySource = database
    .prepare<{ source: ItemSource; n: number }>("SELECT source, count(*) AS n FROM items GROUP BY source")
    .all()
  const vectorsOf = (model: Model) => ({
    id: readMeta(database, `model.${model}`)?.toString(),
    items: count(`(SELECT count(*) FROM ${model}_vectors)`),
    passages: count(`(SELECT coalesce(sum(length(vectors)), 0) / ${dimensions} FROM ${model}_vectors)`),
  })
  return {
    schema: schemaVersion,
    items: count("(SELECT count(*) FROM items)"),
    sources: Object.fromEntries(bySource.map(({ source, n }) => [source, n])),
    vectors: { static: vectorsOf("static"), minilm: vectorsOf("minilm") },
    terms: count("(SELECT count(*) FROM terms)"),
    links: count("(SELECT count(*) FROM links)"),
    aliases: count("(SELECT count(*) FROM aliases)"),
  }
}

/**
 * Every row without the numbers that depend on history, so that an incrementally built index equals one built at once.
 */
function dumpIndex(database: Database): string[] {
  const all = (sql: string) =>
    database
      .prepare<Record<string, SqlValue>>(sql)
      .all()
      .map((row) => JSON.stringify(row))
  const place =
    "JOIN items ON items.row = held.row JOIN origins ON origins.number = items.origin ORDER BY origins.key, position"
  return [
    ...all("SELECT 'origin' AS kind, key, stamp FROM origins ORDER BY key"),
    ...all(
      `SELECT 'item' AS kind, origins.key AS place, items.*, NULL AS row, NULL AS origin, hex(text) AS text, hex(payload) AS payload FROM contents AS held ${place}`,
    ),
    ...all(`SELECT 'terms' AS kind, origins.key, position, hex(list) AS list FROM term_lists AS held ${place}`),
    ...all("SELECT 'term' AS kind, hash, documents FROM terms ORDER BY hash"),
    ...all(`SELECT 'place' AS kind, origins.key, position, places.place FROM placed AS held
      JOIN places ON places.number = held.place ${place}, places.place`),
    ...all("SELECT 'link' AS kind, older, newer, newer_at FROM links ORDER BY older, newer"),
    ...models.flatMap((model) =>
      all(
        `SELECT '${model}' AS kind, origins.key, position, hex(vectors) AS vectors FROM ${model}_vectors AS held ${place}`,
      ),
    ),
    JSON.stringify({ kind: "lengths", ...readLengths(database) }),
  ]
}
