import { type HashCounts, hashCounts } from "./hash-counts.ts"
import type { Item } from "./item.ts"
import { tokenizeHashed } from "./tokenize.ts"

/** How often a word occurs in each field of an item. */
export type TermCounts = { title: number; text: number; extra: number }

/** An item's words for the full-text table, and the same as a list for looking up the count of a word. */
export type ItemWords = { title: string; text: string; extra: string; list: Uint8Array; lengths: TermCounts }

/** The fields of an item that have words. */
export type WordedItem = Pick<Item, "title" | "text" | "tags" | "author" | "contributors" | "pathPrefix">

export type TermCounter = {
  wordsOf(item: WordedItem): ItemWords
  /** By hash, how many of the items counted so far contain the word. */
  documents: HashCounts
}

/** Counts words over many items: how many contain each, and how often. */
export function termCounter(): TermCounter {
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

export type CountedWords = Pick<ItemWords, "list" | "lengths"> & { tokens: Record<keyof TermCounts, string[]> }

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
  const extra = tokenizeHashed([...item.tags, item.author, ...item.contributors, item.pathPrefix ?? ""].join("\n"))
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
