import { hashCounts } from "../hash-counts.ts"
import { countWords, readTermList, type TermList, type WordedItem } from "../term-list.ts"

/**
 * What of a memory is searched: its words, the key of the fact, and the place it is about. Who owns it may change, and
 * is no word of it.
 */
export type WordedMemory = { text: string; key: string | null; path_prefix: string | null }

/** The words of a memory, in the form that tells how often each stands in which field. */
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

/** One for all: to make it takes longer than to count the words of a memory. */
const counts = hashCounts(1 << 8)
