import { statSync } from "node:fs"
import { type Database, isBusy } from "../disk/sqlite.ts"
import { listMissingVectors, putBackVectors, takeVectors, writePassageVectors } from "./deep-vectors.ts"
import { indexReader, openSession } from "./index-reader.ts"
import type { IndexStore, Model, UpdateOutcome } from "./index-store.ts"
import { dumpIndex, indexStats } from "./inspect-index.ts"
import { type IndexFile, openIndexFile } from "./open-index-file.ts"
import { changedSince } from "./read-stamps.ts"
import { readItems } from "./read-stored-items.ts"
import { derivedTables } from "./schema.ts"
import { type Change, type StaticEmbedder, writeItems } from "./write-items.ts"

export type SqliteIndexOptions = {
  /** Makes the static vectors as items are written; without it they are missing until an update has one. */
  embedder?: StaticEmbedder | undefined
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
  const reopen = (next: IndexFile) => {
    file = next
    session = openSession(next.database)
    return next.setAside
  }
  const read = <Result>(query: (database: Database) => Result): Result =>
    session.database.transaction("deferred", () => query(session.database) as never)
  const write = <Result>(change: (database: Database) => Result) =>
    waiting(() => session.database.transaction("immediate", () => change(session.database) as never) as Result)
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
    idsLike: async (typed) => read((database) => readItems.idsLike(database, typed)),
    missingVectors: async (model, limit) => read((database) => listMissingVectors(database, model, ids[model], limit)),
    putVectors: async (model, vectors) =>
      write((database) => writePassageVectors(database, model, ids[model], vectors)),
    stats: async () => read((database) => ({ ...indexStats(database), bytes: sizeOf(path) })),
    dump: async () => read(dumpIndex),
    close: async () => session.database.close(),
  }
}

const longestWait = 60_000

/** Another process's first build of a large index may take longer than SQLite waits for a lock. */
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
