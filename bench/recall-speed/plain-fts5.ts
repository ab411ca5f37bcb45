import { openDatabase } from "../../src/disk/sqlite.ts"
import { wordsOf } from "../recall/arm-fts5.ts"
import type { MadeEntry } from "./made-entries.ts"

export type PlainFts5 = { add(entries: readonly MadeEntry[]): void; find(text: string): unknown; close(): void }

/** What everybody would write first: a content table, FTS5 with its porter tokeniser, any of the words, best first; with as much cache as Drey has. */
export function openPlainFts5(path: string): PlainFts5 {
  const database = openDatabase(path)
  database.exec(plainSchema)
  const insert = database.prepare(plainInsert)
  const find = database.prepare(plainQuery)
  return {
    add: (entries) =>
      void database.transaction("immediate", () => {
        for (const { title, text } of entries) insert.run(title, text)
        database.exec(plainIndexing)
      }),
    find: (text) => find.all(plainMatch(text)),
    close: () => database.close(),
  }
}

export const plainSchema = `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -32768;
CREATE TABLE contents (id INTEGER PRIMARY KEY, title TEXT NOT NULL, text TEXT NOT NULL);
CREATE VIRTUAL TABLE documents USING fts5 (title, text, content='contents', content_rowid='id', tokenize='porter unicode61');
CREATE TABLE indexed (last INTEGER NOT NULL);
INSERT INTO indexed VALUES (0);`
export const plainInsert = "INSERT INTO contents (title, text) VALUES (?, ?)"
export const plainIndexing = `INSERT INTO documents (rowid, title, text) SELECT id, title, text FROM contents WHERE id > (SELECT last FROM indexed);
UPDATE indexed SET last = (SELECT max(id) FROM contents);`
export const plainQuery = "SELECT rowid, title FROM documents WHERE documents MATCH ? ORDER BY rank LIMIT 10"

/** All words of a text, stop words too. */
export function plainMatch(text: string): string {
  return wordsOf(text)
    .map((word) => `"${word}"`)
    .join(" OR ")
}
