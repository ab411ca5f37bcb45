import { expect, test } from "vitest"
import type { StoredItem } from "../index/index-store.ts"
import { testItem } from "../index/test-items.ts"
import { excerptOf, summaryOf } from "./excerpt.ts"

const filler = (topic: string) =>
  Array.from({ length: 20 }, () => `The ${topic} is described here at some length.`).join(" ")

const text = [
  "We keep sessions on the server.",
  filler("login form"),
  filler("password reset"),
  "Tokens are rotated after ten minutes.",
  filler("audit trail"),
].join("\n\n")

const entry = {
  ...testItem("sessions", { title: "Sessions", text }),
  row: 1,
  origin: "decisions.md",
  position: 0,
} as StoredItem

test("an excerpt begins with the summary and quotes the passage that holds the words asked for", () => {
  expect(excerptOf(entry, "When are tokens rotated?")).toMatch(
    /^We keep sessions on the server\..*\n… .*rotated after ten minutes/s,
  )
})

test("where no passage holds the words, the one that is nearest in meaning is quoted", () => {
  const query = "Who signed in?"
  expect(excerptOf(entry, query, [0.1, 0.6, 0.2, 0.1])).not.toMatch(/audit trail/)
  expect(excerptOf(entry, query, [0.1, 0.1, 0.1, 0.1, 0.6])).toMatch(/audit trail/)
})

test("a short text is its own excerpt", () => {
  expect(excerptOf({ ...entry, text: "We indent with tabs." }, "indentation")).toBe("We indent with tabs.")
})

test("a record in sections is summed up by its decision, and by its status where that matters", () => {
  const record = (status: string) => ({
    ...entry,
    text: `## Status\n\n${status}\n\n## Context\n\nUsers sign in.\n\n## Decision drivers\n\nCost.\n\n## Decision\n\nWe use OIDC.\n\n## Consequences\n\nNone yet.`,
  })
  expect(summaryOf(record("Accepted"))).toBe("We use OIDC.")
  expect(summaryOf(record("Superseded by ADR 12"))).toBe("Superseded by ADR 12. We use OIDC.")
  expect(excerptOf(record("Accepted"), "How do users sign in?")).toBe("We use OIDC.\n… Users sign in.")
})

test("a text without a decision is summed up by how it begins, without its headings", () => {
  expect(summaryOf({ ...entry, text: "# Logs\n\n## Format\n\nLogs are JSON." })).toBe("Logs are JSON.")
  expect(summaryOf({ ...entry, text: "# Only a heading" })).toBe("# Only a heading")
})
