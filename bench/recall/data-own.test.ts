import { expect, test } from "vitest"
import { loadOwn } from "./data-own.ts"

const { stores, queries } = loadOwn()
const documents = stores.flatMap((store) => store.documents)

test("no id is given twice", () => {
  for (const ids of [documents.map(({ id }) => id), queries.map(({ id }) => id)])
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
})

test("every record has a day, a title and a place of its own in its file", () => {
  const places = documents.map(({ origin, position }) => `${origin} ${position}`)
  expect(new Set(places).size).toBe(documents.length)
  for (const { id, title, at, position } of documents)
    expect({ id, isWhole: title !== "" && Number.isFinite(at) && position > 0 }).toEqual({ id, isWhole: true })
})

test("every query has one to three answers, and all it names is in its own store", () => {
  for (const { id, store: name, relevant, stale = [] } of queries) {
    const store = stores.find((store) => store.name === name)
    const known = new Set(store?.documents.map((document) => document.id))
    expect([...relevant, ...stale].filter((named) => !known.has(named)).map((named) => `${id}: ${named}`)).toEqual([])
    expect([1, 2, 3], id).toContain(relevant.length)
  }
})

test("what is outdated is older than what answers, and is asked for by the queries about what is valid now", () => {
  const writtenAt = new Map(documents.map(({ id, at = 0 }) => [id, at]))
  for (const { id, kind, relevant, stale = [] } of queries) {
    expect(stale.length > 0, id).toBe(kind === "current")
    for (const outdated of stale)
      for (const valid of relevant) expect(writtenAt.get(outdated), id).toBeLessThan(writtenAt.get(valid) ?? 0)
  }
})

test("no query repeats the title or a sentence of its answer", () => {
  const textOf = new Map(documents.map(({ id, title, text }) => [id, [title, ...text.split(/(?<=[.!?:])\s+/)]]))
  const repeated = queries.flatMap(({ id, text, relevant }) => {
    const sentences = relevant.flatMap((answer) => textOf.get(answer) ?? [])
    return sentences.filter((sentence) => likeness(text, sentence) >= 0.5).map((sentence) => `${id}: ${sentence}`)
  })
  expect(repeated).toEqual([])
})

/** Jaccard's index of the words that carry content. */
function likeness(one: string, other: string): number {
  const [first, second] = [contentWords(one), contentWords(other)]
  const shared = [...first].filter((word) => second.has(word)).length
  return shared / (first.size + second.size - shared)
}

const emptyWords = new Set(
  "a an and are as at be but by can do does for from has have how i if in is it its may me my not of on or our so than that the their them then there they this to up was we what when where which who why will with you your learning".split(
    " ",
  ),
)

function contentWords(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []
  return new Set(words.filter((word) => !emptyWords.has(word)))
}
