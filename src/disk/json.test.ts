import fc from "fast-check"
import { expect, test } from "vitest"
import { findJsonBreak, parseJson } from "./json.ts"

test("JSON is read with and without a byte order mark", () => {
  expect(parseJson('\uFEFF{"a": [1, "b"]}', "a.json")).toEqual({ a: [1, "b"] })
})

test.each([
  ["", "1:1"],
  ["hello there", "1:1"],
  ["{", "1:2"],
  ['{"a": 1,\n  "b": hunter2\n}', "2:8"],
  ['{"a": 1,\n  b: 2\n}', "2:3"],
  ['{"a": 1,}', "1:9"],
  ["[1, 2", "1:6"],
  ["[1 2]", "1:4"],
  ['["unfinished', "1:2"],
  ['["a\nb"]', "1:2"],
  ["[] x", "1:4"],
  ["{} {}", "1:4"],
  ['{"a"}', "1:5"],
  ["[tru]", "1:2"],
])("%j is reported only by its position: %s", (text, place) => {
  expect(() => parseJson(text, "a.json")).toThrow(new RegExp(`^a\\.json:${place} is not JSON$`))
})

test("a line of a larger file is reported by its number there", () => {
  expect(() => parseJson("{", "memory.jsonl", 6)).toThrow(/^memory\.jsonl:6:2 is not JSON$/)
})

test("valid JSON has no error before its end", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
      const text = JSON.stringify(value, null, indent)
      const { line, column } = findJsonBreak(text)
      const lines = text.split("\n")
      expect([line, column]).toEqual([lines.length, (lines.at(-1) ?? "").length + 1])
    }),
  )
})
