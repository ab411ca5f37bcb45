import type { Database } from "../disk/sqlite.ts"
import { readMeta, writeMeta } from "./index-schema.ts"
import type { Item } from "./index-store.ts"
import { readTermList, type TermCounts, termCounter } from "./term-lists.ts"

export type WordsWriter = {
  /** For consecutive rows. */
  put(firstRow: number, items: readonly Item[]): void
  remove(row: number): void
  /** Writes how many items contain each word; until then they are only counted. */
  flush(): void
}

const itemsAtOnce = 256 // one kind of work at a time, while its data stays in the processor's cache

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
    put(firstRow, items) {
      const insertWords = database.prepare("INSERT INTO words (rowid, title, text, extra) VALUES (?, ?, ?, ?)")
      const insertList = database.prepare("INSERT INTO term_lists (row, list) VALUES (?, ?)")
      for (let start = 0; start < items.length; start += itemsAtOnce) {
        const made = items.slice(start, start + itemsAtOnce).map(counter.wordsOf)
        made.forEach(({ title, text, extra }, index) => {
          insertWords.run(firstRow + start + index, title, text, extra)
        })
        made.forEach(({ list, lengths }, index) => {
          insertList.run(firstRow + start + index, list)
          count(lengths, 1)
        })
      }
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
      const { hashes, counts } = counter.documents.sorted()
      const changes = Array.from(hashes, (hash, at) => [hash, counts[at] as number]).filter(
        ([, change]) => change !== 0,
      )
      database
        .prepare(
          `INSERT INTO terms SELECT value ->> 0, value ->> 1 FROM json_each(?) WHERE true
           ON CONFLICT (hash) DO UPDATE SET documents = documents + excluded.documents`,
        )
        .run(JSON.stringify(changes))
      const drop = database.prepare("DELETE FROM terms WHERE hash = ? AND documents <= 0")
      for (const [hash, change] of changes) if ((change as number) < 0) drop.run(hash as number)
      for (const [name, value] of Object.entries(lengths)) writeMeta(database, `length.${name}`, value)
    },
  }
}

export type Lengths = TermCounts & { items: number }

/** The number of items, and the total number of their words, field by field. */
export function readLengths(database: Database): Lengths {
  const of = (name: string) => Number(readMeta(database, `length.${name}`) ?? 0)
  return { items: of("items"), title: of("title"), text: of("text"), extra: of("extra") }
}
