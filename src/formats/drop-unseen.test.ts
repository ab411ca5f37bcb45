import { expect, test } from "vitest"
import { dropUnseen } from "./drop-unseen.ts"

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
