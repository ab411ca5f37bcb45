import type { Database } from "../disk/sqlite.ts"
import { readMeta, writeMeta } from "./index-file.ts"
import type { Item } from "./index-store.ts"
import { hashTerm } from "./term-hash.ts"
import { tokenize, tokenizeHashed } from "./tokenizer.ts"

/** How often a word occurs in each field of an item. */
type TermCounts = { title: number; text: number; extra: number }

/** An item's words for the full-text table, and the same as a list for looking up the count of a word. */
type ItemWordCounts = { title: string; text: string; extra: string; list: Uint8Array; lengths: TermCounts }

/** The fields of an item that have words. */
export type WordedItem = Pick<Item, "title" | "text" | "tags" | "related" | "author" | "contributors" | "pathPrefix">

type TermCounter = {
  wordsOf(item: WordedItem): ItemWordCounts
  /** By hash, how many of the items counted so far contain the word. */
  documents: HashCounts
}

/** Counts words over many items: how many contain each, and how often. */
function termCounter(): TermCounter {
  const documents = hashCounts(1 << 12)
  const counts = hashCounts(1 << 10)
  return {
    documents,
    wordsOf(item) {
      const { tokens, list, lengths } = countWords(item, counts)
      for (const hash of readTermList(list).hashes) documents.add(hash, 1)
      const [title, text, extra] = [tokens.title.join(" "), tokens.text.join(" "), tokens.extra.join(" ")]
      return { title, text, extra, list, lengths }
    },
  }
}

type CountedWords = Pick<ItemWordCounts, "list" | "lengths"> & { tokens: Record<keyof TermCounts, string[]> }

/**
 * The words of one item; `counts` must be empty and is cleared again. Counts are packed into 16 bits: title 3, extra 3,
 * text 10.
 */
export function countWords(item: WordedItem, counts: HashCounts): CountedWords {
  const count = (hashes: number[], step: number, full: number) => {
    for (const hash of hashes) {
      if ((counts.get(hash) & full) !== full) counts.add(hash, step)
    }
  }
  const title = tokenizeHashed(item.title)
  const text = item.text === item.title ? title : tokenizeHashed(item.text) // a memory is its own title
  const extra = tokenizeHashed(
    [...item.tags, item.author, ...item.contributors, item.pathPrefix ?? "", ...(item.related ?? [])].join("\n"),
  )
  count(title.hashes, 1, 7)
  count(extra.hashes, 8, 56)
  count(text.hashes, 64, 65472)
  const lengths = { title: title.tokens.length, text: text.tokens.length, extra: extra.tokens.length }
  const list = writeList(counts.sorted(), lengths)
  counts.clear()
  return { tokens: { title: title.tokens, text: text.tokens, extra: extra.tokens }, list, lengths }
}

const head = 8

function writeList({ hashes, counts }: { hashes: Int32Array; counts: Int32Array }, lengths: TermCounts): Uint8Array {
  const list = new Uint8Array(head + hashes.length * 6)
  new Uint16Array(list.buffer, 0, 2).set([Math.min(lengths.title, 65535), Math.min(lengths.extra, 65535)])
  new Uint32Array(list.buffer, 4, 1).set([lengths.text])
  new Int32Array(list.buffer, head, hashes.length).set(hashes)
  new Uint16Array(list.buffer, head + hashes.length * 4, hashes.length).set(counts)
  return list
}

export type TermList = { lengths: TermCounts; hashes: Int32Array; packed: Uint16Array }

export function readTermList(stored: Uint8Array): TermList {
  const { buffer, byteOffset, length } = stored.byteOffset % 4 === 0 ? stored : stored.slice()
  const count = (length - head) / 6
  const short = new Uint16Array(buffer, byteOffset, 2)
  return {
    lengths: { title: short[0] ?? 0, extra: short[1] ?? 0, text: new Uint32Array(buffer, byteOffset + 4, 1)[0] ?? 0 },
    hashes: new Int32Array(buffer, byteOffset + head, count),
    packed: new Uint16Array(buffer, byteOffset + head + count * 4, count),
  }
}

/** The counts of a word, undefined if the item does not contain it. */
export function countsIn({ hashes, packed }: TermList, hash: number): TermCounts | undefined {
  let low = 0
  let high = hashes.length - 1
  while (low <= high) {
    const middle = (low + high) >>> 1
    const found = hashes[middle] as number
    if (found === hash) {
      const value = packed[middle] as number
      return { title: value & 7, extra: (value >> 3) & 7, text: value >> 6 }
    }
    if (found < hash) low = middle + 1
    else high = middle - 1
  }
  return undefined
}

/**
 * Counts by a 32-bit hash other than 0, in one plain array: a Map takes several times as long for millions of words.
 */
type HashCounts = {
  get(hash: number): number
  add(hash: number, amount: number): void
  /** Every hash with its count, sorted by hash. */
  sorted(): { hashes: Int32Array; counts: Int32Array }
  clear(): void
}

/** Starts with room for half as many hashes as `size`, a power of two, and grows when full. */
export function hashCounts(size: number): HashCounts {
  let table = new Int32Array(size * 2) // hash and count side by side: one memory access, not two
  let used: number[] = []

  /** The index of the hash, or where it belongs. */
  const placeOf = (hash: number): number => {
    const mask = table.length - 1
    let place = (hash << 1) & mask
    while (table[place] !== hash && table[place] !== 0) place = (place + 2) & mask
    return place
  }
  const add = (hash: number, amount: number): void => {
    const place = placeOf(hash)
    if (table[place] === 0) {
      table[place] = hash
      used.push(place)
    }
    table[place + 1] = (table[place + 1] as number) + amount
    if (used.length * 4 > table.length) grow()
  }
  const grow = (): void => {
    const [old, places] = [table, used]
    table = new Int32Array(old.length * 4)
    used = []
    for (const place of places) add(old[place] as number, old[place + 1] as number)
  }

  return {
    add,
    get: (hash) => table[placeOf(hash) + 1] as number,
    sorted() {
      const hashes = new Int32Array(used.length)
      for (let at = 0; at < used.length; at++) hashes[at] = table[used[at] as number] as number
      hashes.sort()
      const counts = new Int32Array(used.length)
      for (let at = 0; at < used.length; at++) counts[at] = table[placeOf(hashes[at] as number) + 1] as number
      return { hashes, counts }
    },
    clear() {
      for (const place of used) {
        table[place] = 0
        table[place + 1] = 0
      }
      used = []
    },
  }
}

/** Words that announce a change to an earlier decision, as the tokenizer returns them. */
const amendingWords = tokenize("amend revise supersede overrule reverse revert rescind formerly hitherto so far").map(
  hashTerm,
)

export function mentionsAmendment(list: TermList): boolean {
  return amendingWords.some((word) => countsIn(list, word) !== undefined)
}

/** The hashes of the words in the title, whose count is in the lowest three bits. */
export function titleWordsIn({ hashes, packed }: TermList): Set<number> {
  const words = new Set<number>()
  for (let at = 0; at < hashes.length; at++) if (((packed[at] as number) & 7) !== 0) words.add(hashes[at] as number)
  return words
}

/** The weight of a word by its field: title, text, extra, in the order of the full-text table. */
export const fieldWeights = { title: 4, text: 1, extra: 1.5 }

/** How slowly repetitions of a word saturate: records repeat their subject. */
export const k1 = 2
/** How much length counts against an item: logs contain reports that mention everything. */
const b = 0.9
/** This many words are free: among short turns the shorter one is not better. */
const freeLength = 40

/** BM25 of an item for all words of the request, and the share of the request's idf covered by the item's words. */
export function scoreWords(
  list: TermList,
  terms: readonly { hash: number; idf: number; weight: number }[],
  averageLength: number,
): { words: number; coverage: number } {
  const length = lengthOf(list.lengths)
  const damping = k1 * (1 - b + (b * (length + freeLength)) / (averageLength + freeLength))
  let words = 0
  let held = 0
  let all = 0
  for (const { hash, idf, weight } of terms) {
    all += idf
    const counts = countsIn(list, hash)
    if (!counts) continue
    const frequency =
      counts.title * fieldWeights.title + counts.text * fieldWeights.text + counts.extra * fieldWeights.extra
    words += (weight * frequency * (k1 + 1)) / (frequency + damping)
    held += idf
  }
  return { words, coverage: all === 0 ? 0 : held / all }
}

/** An item's length for scoring; averaged over all items. */
export function lengthOf({ title, text, extra }: TermCounts): number {
  return title + text + extra
}

type WordsWriter = {
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

type Lengths = TermCounts & { items: number }

/** The number of items, and the total number of their words, field by field. */
export function readLengths(database: Database): Lengths {
  const of = (name: string) => Number(readMeta(database, `length.${name}`) ?? 0)
  return { items: of("items"), title: of("title"), text: of("text"), extra: of("extra") }
}
