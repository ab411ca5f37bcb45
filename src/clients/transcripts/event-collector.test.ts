import { expect, test } from "vitest"
import { longestText } from "../client.ts"
import { cutMiddle } from "./event-collector.ts"

test("a text that fits is unchanged", () => {
  const text = "x".repeat(longestText)
  expect(cutMiddle(text)).toBe(text)
})

test("a long text keeps its beginning and end", () => {
  const cut = cutMiddle(`$ npm test\n${"log line\n".repeat(5000)}1 failed`)
  expect(cut.length).toBeLessThanOrEqual(longestText)
  expect(cut.startsWith("$ npm test\nlog line\n")).toBe(true)
  expect(cut).toContain("\n[…]\n")
  expect(cut.endsWith("log line\n1 failed")).toBe(true)
})

test("no character is split, wherever the cuts are", () => {
  for (let shift = 0; shift < 4; shift++) {
    const cut = cutMiddle("a".repeat(shift) + "🦊".repeat(longestText))
    expect(cut).not.toMatch(/\p{Surrogate}/u)
    expect(cut.length).toBeLessThanOrEqual(longestText)
  }
})
