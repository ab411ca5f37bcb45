import type { Database } from "../disk/sqlite.ts"
import type { Item } from "./item.ts"
import { readMeta, writeMeta } from "./meta.ts"
import { readTermList, type TermCounts, termCounter } from "./term-list.ts"

export type WordsWriter = {
  put(row: number, item: Item): void
  remove(row: number): void
  /** Writes how many items hold each word, which was only counted until now. */
  flush(): void
}

/** Changes the words of items within one transaction. */
export function wordsWriter(database: Database): WordsWriter {
  const counter = termCounter()
  const lengths = readLengths(database)
  const count = (itemLengths: TermCounts, step: 1 | -1) => {
    lengths.items += step
    lengths.title += itemLengths.title * step
    lengths.text += itemLengths.text * step
    lengths.extra += itemLengths.extra * step
  }
  return {
    put(row, item) {
      const words = counter.wordsOf(item)
      database
        .prepare("INSERT INTO words (rowid, title, text, extra) VALUES (?, ?, ?, ?)")
        .run(row, words.title, words.text, words.extra)
      database.prepare("INSERT INTO term_lists (row, list) VALUES (?, ?)").run(row, words.list)
      count(words.lengths, 1)
    },
    remove(row) {
      const stored = database.prepare<{ list: Uint8Array }>("SELECT list FROM term_lists WHERE row = ?").get(row)
      if (!stored) return
      const list = readTermList(stored.list)
      for (const hash of list.hashes) counter.documents.add(hash, -1)
      count(list.lengths, -1)
      database.prepare("DELETE FROM words WHERE rowid = ?").run(row)
      database.prepare("DELETE FROM term_lists WHERE row = ?").run(row)
    },
    flush() {
      const add = database.prepare(
        "INSERT INTO terms VALUES (?, ?) ON CONFLICT (hash) DO UPDATE SET documents = documents + excluded.documents",
      )
      const drop = database.prepare("DELETE FROM terms WHERE hash = ? AND documents <= 0")
      const { hashes, counts } = counter.documents.sorted()
      for (let at = 0; at < hashes.length; at++) {
        const [hash, change] = [hashes[at] as number, counts[at] as number]
        if (change !== 0) add.run(hash, change)
        if (change < 0) drop.run(hash)
      }
      for (const [name, value] of Object.entries(lengths)) writeMeta(database, `length.${name}`, value)
    },
  }
}

export type Lengths = TermCounts & { items: number }

/** How many items there are, and how many words they hold in all, field by field. */
export function readLengths(database: Database): Lengths {
  const of = (name: string) => Number(readMeta(database, `length.${name}`) ?? 0)
  return { items: of("items"), title: of("title"), text: of("text"), extra: of("extra") }
}
