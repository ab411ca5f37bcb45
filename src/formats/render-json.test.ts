import fc from "fast-check"
import { expect, test } from "vitest"
import { renderJson } from "./render-json.ts"

test("what fits on a line stays on one, and the rest is broken up", () => {
  const long = "x".repeat(60)
  expect(renderJson({ a: [1, { b: null }] })).toBe('{ "a": [1, { "b": null }] }')
  expect(renderJson({ a: [long, long] }, { unit: "\t", indent: "  " })).toBe(
    `{\n  \t"a": [\n  \t\t"${long}",\n  \t\t"${long}"\n  \t]\n  }`,
  )
  expect(renderJson({ a: { b: {} } }, { open: 1 })).toBe('{\n  "a": { "b": {} }\n}')
})

test("it says what it was given", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(3), (value, open) => {
      expect(JSON.parse(renderJson(value, { open }))).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})
