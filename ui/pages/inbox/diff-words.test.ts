import fc from "fast-check"
import { expect, test } from "vitest"
import { diffWords, type WordPiece } from "./diff-words.ts"

const textOf = (pieces: WordPiece[]) => pieces.map(({ text }) => text).join("")
const changedIn = (pieces: WordPiece[]) => pieces.filter(({ isChanged }) => isChanged).map(({ text }) => text)

test("words that only one text has are marked, a changed phrase as one", () => {
  const { before, after } = diffWords(
    "It is tried three times, never again.",
    "It is tried up to five times, never again.",
  )
  expect(changedIn(before)).toEqual(["three"])
  expect(changedIn(after)).toEqual(["up to five"])
})

test("the same text has no marks, and what has nothing in common is marked whole", () => {
  expect(changedIn(diffWords("one two", "one two").after)).toEqual([])
  expect(changedIn(diffWords("", "one, two").after)).toEqual(["one, two"])
})

test("the pieces give both texts back, and what is not marked is the same in both", () => {
  const text = fc
    .array(fc.constantFrom("a", "b", "c", " ", "\n", ".", "ä1"), { maxLength: 30 })
    .map((all) => all.join(""))
  fc.assert(
    fc.property(text, text, (one, other) => {
      const { before, after } = diffWords(one, other)
      expect([textOf(before), textOf(after)]).toEqual([one, other])
      const kept = (pieces: WordPiece[]) => textOf(pieces.filter(({ isChanged }) => !isChanged)).replace(/\s/g, "")
      expect(kept(before)).toBe(kept(after))
    }),
  )
})

test("texts that are too long to compare word by word keep their common beginning and end", () => {
  const middle = (word: string) => Array.from({ length: 2500 }, (_, at) => `${word}${at}`).join(" ")
  const { before } = diffWords(`same ${middle("x")} end`, `same ${middle("y")} end`)
  expect(before[0]?.text).toBe("same ")
  expect(before.at(-1)?.text).toBe(" end")
})
