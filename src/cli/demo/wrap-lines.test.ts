import { expect, test } from "vitest"
import { wrapLines } from "./wrap-lines.ts"

test("a long line is broken at spaces, below its own indentation", () => {
  expect(wrapLines("short\n  a line that is longer than that", 20)).toBe(
    "short\n  a line that is\n      longer than\n      that",
  )
})

test("a quotation stays one in every row", () => {
  expect(wrapLines("> Never write a card number to a log.", 20)).toBe("> Never write a card\n> number to a log.")
})

test("what has no space is not broken, and without a width nothing is", () => {
  const path = "/tmp/drey-demo-4f2a/home/.claude/projects/5d0c1f7e.jsonl"
  expect(wrapLines(path, 20)).toBe(path)
  expect(wrapLines("a line that is longer than that", undefined)).toBe("a line that is longer than that")
})
