import { expect, test } from "vitest"
import { countSpan, extentOf, firstFrom } from "./count-span.ts"

const day = 86_400_000
const monday = Date.UTC(2026, 1, 2)
const timeline = {
  types: ["decision", "note"],
  at: [monday, monday + day, monday + 8 * day, monday + 15 * day],
  type: [0, 1, 0, 0],
  ids: ["a", "b", "c", "d"],
  weeks: [
    { start: monday, decisions: 1, added: 2, total: 2 },
    { start: monday + 7 * day, decisions: 1, added: 1, total: 3 },
    { start: monday + 14 * day, decisions: 1, added: 1, total: 4 },
  ],
}

test("items in the span are counted, its end excluded, with the weeks that it touches", () => {
  const counts = countSpan(timeline, { from: monday + day, to: monday + 15 * day })
  expect(counts.byType).toEqual([
    { type: "decision", count: 1 },
    { type: "note", count: 1 },
  ])
  expect(counts).toMatchObject({ items: 2, decisions: 3, decisionsPerWeek: 1 })
})

test("a timeline without dates has no extent, and one of a moment has room around it", () => {
  expect(extentOf({ ...timeline, at: [] })).toBeNull()
  expect(extentOf({ ...timeline, at: [monday] })).toEqual({ from: monday - day, to: monday + day })
})

test("the first of several at one moment is found", () => {
  expect(firstFrom([1, 2, 2, 2, 3], 2)).toBe(1)
  expect(firstFrom([1, 2], 9)).toBe(2)
})
