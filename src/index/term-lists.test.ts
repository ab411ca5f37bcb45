import { expect, test } from "vitest"
import { hashTerm } from "./term-hash.ts"
import { countsIn, scoreWords, type TermList } from "./term-lists.ts"

/** A term list as stored with an item, each word with its counts in title and text. */
function listOf(words: Record<string, { title?: number; text?: number }>, length: number): TermList {
  const entries = Object.entries(words)
    .map(([word, { title = 0, text = 0 }]) => ({ hash: hashTerm(word), packed: title + text * 64 }))
    .sort((one, other) => one.hash - other.hash)
  const hashes = Int32Array.from(entries, ({ hash }) => hash)
  const packed = Uint16Array.from(entries, (entry) => entry.packed)
  return { lengths: { title: 0, text: length, extra: 0 }, hashes, packed }
}

const term = (word: string, idf: number, weight = idf) => ({ hash: hashTerm(word), idf, weight })

test("the list of a test is read like an item's", () => {
  expect(countsIn(listOf({ tab: { title: 1, text: 2 } }, 10), hashTerm("tab"))).toEqual({ title: 1, text: 2, extra: 0 })
})

test("a word in the title counts more than in the text, and a short item more than a long one", () => {
  const score = (list: TermList) => scoreWords(list, [term("tab", 2)], 100).words
  const inText = score(listOf({ tab: { text: 1 } }, 100))
  expect(score(listOf({ tab: { title: 1 } }, 100))).toBeGreaterThan(inText)
  expect(score(listOf({ tab: { text: 1 } }, 1000))).toBeLessThan(inText)
})

test("among short items length hardly counts", () => {
  const score = (length: number) => scoreWords(listOf({ tab: { text: 1 } }, length), [term("tab", 2)], 12).words
  expect(score(20) / score(8)).toBeGreaterThan(0.8)
})

test("coverage is the share of the request's idf that is contained, regardless of repetitions", () => {
  const list = listOf({ tab: { text: 9 } }, 50)
  expect(scoreWords(list, [term("tab", 3, 6), term("space", 1)], 50).coverage).toBe(0.75)
  expect(scoreWords(list, [], 50)).toEqual({ words: 0, coverage: 0 })
})

test("a word that the request repeats weighs more", () => {
  const list = listOf({ tab: { text: 1 } }, 50)
  expect(scoreWords(list, [term("tab", 2, 2.8)], 50).words).toBeGreaterThan(
    scoreWords(list, [term("tab", 2)], 50).words,
  )
})
