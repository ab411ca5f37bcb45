import { expect, test } from "vitest"
import { normalizeEntry } from "../../formats/entry-writer.ts"
import { findNearDuplicates } from "./near-duplicates.ts"

const all = () => true

function item(id: string, details: string, type: "decision" | "note" = "decision") {
  const entry = normalizeEntry({
    type,
    timestamp: "2026-02-03T10:00:00+00:00",
    author: "Rook",
    title: "Use one queue",
    details,
  })
  return { id, entry }
}

const words = "every job of the importer goes through one queue so that nothing is lost when a worker dies in between"

test("two entries that differ in a word or two are near duplicates", () => {
  const found = findNearDuplicates([item("a", words), item("b", words.replace("worker", "process"))], all)
  expect(found).toEqual([{ one: "a", other: "b", similarity: expect.closeTo(0.9, 1) }])
})

test("entries of different types, or that share only some words, are not", () => {
  const other = "the exporter writes straight to the bucket because its jobs are small and can be run again at any time"
  expect(findNearDuplicates([item("a", words), item("b", words, "note"), item("c", other)], all)).toEqual([])
})

test("only relevant pairs are returned", () => {
  const items = [item("a", words), item("b", words), item("c", words)]
  const found = findNearDuplicates(items, (one, other) => one === "c" || other === "c")
  expect(found.map(({ one, other }) => `${one}${other}`)).toEqual(["ac", "bc"])
})

test("ten thousand entries, even if all similar, take seconds and not minutes", () => {
  const different = Array.from({ length: 5000 }, (_, index) =>
    item(`d${index}`, Array.from({ length: 20 }, (_, word) => `w${(index * 7919 + word * 104729) % 30011}`).join(" ")),
  )
  const alike = Array.from({ length: 5000 }, (_, index) => item(`a${index}`, `${words} number ${index}`))
  const started = performance.now()
  findNearDuplicates([...different, ...alike], (one, other) => one === "a4999" || other === "a4999")
  expect(performance.now() - started).toBeLessThan(5000)
})
