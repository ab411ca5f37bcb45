import { openDatabase } from "../../src/disk/sqlite.ts"
import type { Arm } from "./arm.ts"
import { wholeText } from "./data.ts"

/** Plain full-text search: SQLite's FTS5 with its porter tokeniser, BM25, any of the query's words, stop words kept. */
export const fts5: Arm = {
  name: "FTS5 BM25",
  kind: "simple",
  async open(store) {
    const database = openDatabase(":memory:")
    database.exec("CREATE VIRTUAL TABLE documents USING fts5(text, tokenize = 'porter unicode61')")
    const insert = database.prepare("INSERT INTO documents (rowid, text) VALUES (?, ?)")
    database.transaction("immediate", () => {
      store.documents.forEach((document, index) => {
        insert.run(index, wholeText(document))
      })
    })
    const find = database.prepare<{ rowid: number; score: number }>(
      "SELECT rowid, -bm25(documents) AS score FROM documents WHERE documents MATCH ? ORDER BY bm25(documents), rowid LIMIT ?",
    )
    return {
      async search(query, limit) {
        const words = wordsOf(query)
        if (words.length === 0) return []
        const rows = find.all(words.map((word) => `"${word}"`).join(" OR "), limit)
        return rows.map(({ rowid, score }) => ({ id: store.documents[rowid]?.id ?? "", score }))
      },
      close: async () => database.close(),
    }
  },
}

/** The distinct words of a query, split as FTS5 splits them. */
export function wordsOf(query: string): string[] {
  return [...new Set(query.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? [])]
}
