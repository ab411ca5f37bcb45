import fc from "fast-check"
import { expect, test } from "vitest"
import { normalizeEntry } from "../../formats/entry-writer.ts"
import { fromMarkdown, toMarkdown } from "./entry-text.ts"

const entry = (given: { title?: string; summary?: string; details?: string; rationale?: string }) =>
  normalizeEntry({
    type: "decision",
    timestamp: "2026-01-01T00:00:00+00:00",
    author: "rook",
    title: "Use tabs",
    ...given,
  })

test("a summary that the title or the first sentence already contains is not repeated", () => {
  expect(toMarkdown(entry({}))).toBe("")
  expect(toMarkdown(entry({ summary: "Tabs it is", details: "More." }))).toBe("Tabs it is\n\nMore.")
  expect(toMarkdown(entry({ summary: "Tabs it is.", details: "Tabs it is. For good." }))).toBe("Tabs it is. For good.")
  expect(toMarkdown(entry({ details: "More.", rationale: "- one\n- two" }))).toBe(
    "More.\n\n**rationale:** - one\n- two",
  )
})

test("text without a label is a short summary and details, or details whose first sentence is the summary", () => {
  expect(fromMarkdown("", "Use tabs")).toEqual({ summary: "Use tabs", details: "", rationale: "" })
  expect(fromMarkdown("Tabs.\r\n\r\nMore.\r\n", "T")).toEqual({ summary: "Tabs.", details: "More.", rationale: "" })
  expect(fromMarkdown("- one\n- two", "T")).toEqual({ summary: "one", details: "- one\n- two", rationale: "" })
  const long = `Tabs are used. ${"They read well. ".repeat(9)}`.trim()
  expect(fromMarkdown(long, "T")).toEqual({ summary: "Tabs are used.", details: long, rationale: "" })
})

test("a label in a code block, or escaped, starts no rationale", () => {
  const details = "See:\n\n```\n**rationale:** no\n```\n\n**rationale:** nor this"
  const read = fromMarkdown(toMarkdown(entry({ summary: "S", details, rationale: "but this" })), "Use tabs")
  expect(read).toEqual({ summary: "S", details, rationale: "but this" })
})

test("any text a user writes is read back unchanged", () => {
  const line = fc.constantFrom(
    "",
    "Plain words.",
    "- item",
    "**rationale:** why",
    "\\**rationale:** text",
    "```",
    "#### Head",
    "  ",
  )
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
      const once = entry({ ...fromMarkdown(lines.join("\n"), "Use tabs") })
      const shown = toMarkdown(once)
      expect(toMarkdown(entry({ ...fromMarkdown(shown, "Use tabs") }))).toBe(shown)
    }),
  )
})
