import { expect, test } from "vitest"
import type { Entry } from "./entry.ts"
import { parseQuery } from "./query.ts"
import { matchesQuery, type QueryItem } from "./query-match.ts"

const now = new Date("2026-02-20T12:00:00Z")

const entry: Entry = {
  type: "decision",
  timestamp: "2026-02-15T14:32:15-08:00",
  precision: "second",
  author: "Verbal",
  contributors: ["Keaton", "Jane  Doe"],
  title: "Per-agent model selection",
  summary: "Agents choose their own model",
  scope: "agent:Kane",
  tags: ["Cost", "v0.3.0"],
  details: "Le café\nferme tôt.",
  rationale: "Cheaper.",
  related: [],
  supersedes: [],
  supersededBy: [],
  extensions: [],
}

test("an empty query matches everything", () => {
  expect(matches("")).toBe(true)
})

test("names, tags, scopes, sources and ids compare without case; contributors are authors", () => {
  for (const text of ["author:verbal", "author:KEATON", 'author:"jane doe"', "tag:cost", "scope:AGENT:kane"]) {
    expect(matches(text), text).toBe(true)
  }
  expect(matches("source:History id:SEM-1")).toBe(true)
  for (const text of ["author:verb", "tag:v0.3", "scope:team", "source:inbox", "id:sem-"]) {
    expect(matches(text), text).toBe(false)
  }
})

test("several tags must all match; of several types, authors or sources one is enough", () => {
  expect(matches("tag:cost tag:v0.3.0")).toBe(true)
  expect(matches("tag:cost tag:old")).toBe(false)
  expect(matches("type:note type:decision author:Fenster author:Verbal source:inbox source:history")).toBe(true)
  expect(matches("type:note type:memory")).toBe(false)
})

test("what is related is filtered by and searched; of several all must be there", () => {
  const related = [
    { type: "issue", identifier: "#18" },
    { type: "reference", identifier: "docs/cost.md" },
  ]
  expect(matches("related:#18 related:docs/cost.md", { related })).toBe(true)
  expect(matches("related:#18 related:#19", { related })).toBe(false)
  expect(matches("-related:#18", { related })).toBe(false)
  expect(matches("docs/cost.md", { related })).toBe(true)
})

test("an excluded filter or word must not match", () => {
  expect(matches("-tag:old -type:note -nonsense")).toBe(true)
  expect(matches("-tag:cost")).toBe(false)
  expect(matches("type:decision -author:Keaton")).toBe(false)
  expect(matches("-cheaper")).toBe(false)
  expect(matches("-recent:24h -after:2026-02-16")).toBe(true)
})

test("a date means the start of that day in UTC: after includes it, before does not", () => {
  const midnight = { timestamp: "2026-02-01T00:00:00+00:00" }
  expect(matches("after:2026-02-01", midnight)).toBe(true)
  expect(matches("before:2026-02-01", midnight)).toBe(false)
  expect(matches("before:2026-02-01", { timestamp: "2026-01-31T23:59:59+00:00" })).toBe(true)
})

test("times compare as instants, whatever their offsets", () => {
  expect(matches("after:2026-02-15T22:32:15Z before:2026-02-15T22:32:16Z")).toBe(true)
  expect(matches("after:2026-02-16", { timestamp: "2026-02-15T23:00:00-08:00" })).toBe(true)
  expect(matches("after:2026-02-01 after:2026-02-18")).toBe(false)
})

test("recent counts back from the given clock", () => {
  expect(matches("recent:7d")).toBe(true)
  expect(matches("recent:1w")).toBe(true)
  expect(matches("recent:24h")).toBe(false)
  expect(matches("recent:120h", { timestamp: "2026-02-15T12:00:00+00:00" })).toBe(true)
})

test("status distinguishes active, superseded and entries that are due for review", () => {
  expect(matches("status:active")).toBe(true)
  expect(matches("status:superseded")).toBe(false)
  expect(matches("status:review-due", { expires: "2026-02-20T12:00:00+00:00" })).toBe(true)
  expect(matches("status:review-due", { expires: "2026-02-20T12:00:01+00:00" })).toBe(false)
  expect(matches("status:superseded", {}, { superseded: true })).toBe(true)
  expect(matches("status:active", {}, { superseded: true })).toBe(false)
})

test("every word must occur in some field, ignoring case and accents", () => {
  expect(matches("CAFE choose cheaper cost verbal selection")).toBe(true)
  expect(matches("tôt")).toBe(true)
  expect(matches("choose nothing")).toBe(false)
})

test("a phrase is found across a line break but not across two fields", () => {
  expect(matches('"cafe ferme"')).toBe(true)
  expect(matches('"model selection"')).toBe(true)
  expect(matches('"selection agents"')).toBe(false)
})

test("text passed beside the entry is searched too", () => {
  expect(matches("sqlite", {}, { text: "Uses SQLite." })).toBe(true)
})

function matches(text: string, changes: Partial<Entry> = {}, itemChanges: Partial<QueryItem> = {}): boolean {
  const parsed = parseQuery(text)
  if (parsed.kind === "invalid") throw new Error(`${text}: ${JSON.stringify(parsed.problems)}`)
  const item = { entry: { ...entry, ...changes }, id: "sem-1", source: "history", superseded: false, ...itemChanges }
  return matchesQuery(parsed.query, item, now)
}
