import fc from "fast-check"
import { expect, test } from "vitest"
import { cutPassages } from "./passages.ts"

const paragraph = (word: string, count: number) => Array.from({ length: count }, () => word).join(" ")

test("a short item is one passage: its title and its text without Markdown syntax", () => {
  expect(cutPassages("Use **tabs**", "- [Tabs](https://x.example) are `wide`")).toEqual(["Use tabs. Tabs are wide"])
})

test("a title alone is a passage, and an empty item has none", () => {
  expect(cutPassages("Use tabs", "")).toEqual(["Use tabs"])
  expect(cutPassages("", " \n")).toEqual([])
})

test("every piece of a long text has the title, and is split between paragraphs where possible", () => {
  const passages = cutPassages(
    "Title",
    [paragraph("one", 70), paragraph("two", 60), paragraph("three", 300)].join("\n\n"),
  )
  expect(passages[0]).toBe(`Title. ${paragraph("one", 70)}`)
  expect(passages[1]).toBe(`Title. ${paragraph("two", 60)}`)
  expect(passages.every((passage) => passage.startsWith("Title. ") && passage.split(" ").length <= 102)).toBe(true)
})

test("metadata lines are dropped, and the decision is kept", () => {
  expect(
    cutPassages("T", "**By:** Jane\n**Date:** 2026-02-15\n**What:** Logs go to stderr.\n**Status:** Accepted"),
  ).toEqual(["T. Logs go to stderr."])
})

test("no text gives more than eight passages or makes it throw", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 100 }), fc.string({ unit: "binary", maxLength: 4000 }), (title, text) => {
      expect(cutPassages(title, text).length).toBeLessThanOrEqual(8)
    }),
  )
  expect(cutPassages("T", paragraph("word", 100_000))).toHaveLength(8)
})
