import { hashCounts } from "../hash-counts.ts"
import { countWords, readTermList, type TermList, type WordedItem } from "../term-list.ts"

/**
 * The searched fields of a memory: its text, the fact's key, and its path. Its owner may change and is not searched.
 */
export type WordedMemory = { text: string; key: string | null; path_prefix: string | null }

/** The words of a memory with their counts by field. */
export function wordsOfMemory({ text, key, path_prefix }: WordedMemory): TermList {
  const worded: WordedItem = {
    title: text,
    text,
    tags: key === null ? [] : [key],
    author: "",
    contributors: [],
    pathPrefix: path_prefix ?? undefined,
  }
  return readTermList(countWords(worded, counts).list)
}

/** Shared: creating one takes longer than counting the words of a memory. */
const counts = hashCounts(1 << 8)
