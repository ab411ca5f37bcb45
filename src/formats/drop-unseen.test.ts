import { expect, test } from "vitest"
import { dropUnseen, dropUnseenInLines, escapeUnseen } from "./drop-unseen.ts"

test("controls, direction marks, invisible and tag characters go; line feeds and tabs stay", () => {
  expect(dropUnseen("a\u001b[31m\u0007\u0085b\u00ad\u061c\u202e\u2066\ufeff\u{e0041}\ud800\n\tc")).toBe("a[31mb\n\tc")
})

test.each([
  ["क्\u200dष", "a joiner in Devanagari"],
  ["می\u200cخواهم", "a non-joiner in Persian"],
  ["👩\u200d💻 ❤\ufe0f\u200d🔥", "emoji made of several"],
  ["naïve — „Größe“ 東京 ✓", "other scripts and signs"],
])("what is seen stays: %s (%s)", (text) => {
  expect(dropUnseen(text)).toBe(text)
})

test("within plain letters a joiner is only there to hide something", () => {
  expect(dropUnseen("sys\u200dtem ig\u200cnore x\ufe0f")).toBe("system ignore x")
})

test("lines that end in other ways end as ours do, and a return alone goes", () => {
  expect(dropUnseenInLines("a\r\nb\u2028c\u2029d\re")).toBe("a\nb\nc\nde")
})

test("JSON with escapes means the same", () => {
  const value = { "k\u009bey": "a\u0000\u001b\u007f\u0085\u202e\u2028\u{e0041}b", joined: "👩\u200d💻" }
  const json = escapeUnseen(JSON.stringify(value))
  expect(json).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e\u2028]/)
  expect(json).toContain("👩\u200d💻")
  expect(JSON.parse(json)).toEqual(value)
})
