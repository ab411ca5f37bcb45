import fc from "fast-check"
import { expect, test } from "vitest"
import { type EntriesFile, type ReadContext, type ReadEntry, readEntries } from "../entries.ts"
import type { Entry } from "../entry.ts"
import { writeEntry } from "../entry-writer.ts"
import { findDates } from "./dates.ts"
import { parseHeading } from "./heading.ts"
import { parseAuthors, parseLabels } from "./labels.ts"
import { makeRoster, rosterNamesOf } from "./roster.ts"

const numRuns = Number(process.env.DREY_PROPERTY_RUNS ?? 1_000)
const roster = makeRoster(["Keaton", "Fenster", "Hockney", "r2-d2", "Scribe"])

// Header styles

type Style = { heading: string; labels?: string; title?: string; date?: string; author?: string; type?: Entry["type"] }
const by = "**By:** Keaton"
const byAndDate = "**Author:** Keaton\n**Date:** 2026-03-01"
const styles: Style[] = [
  { heading: "### 2026-03-01: Use one index", labels: by },
  { heading: "## 2026-03-01: Use one index", labels: by },
  { heading: "# 2026-03-01: Use one index", labels: by },
  { heading: "### Use one index", labels: byAndDate },
  { heading: "# Decision: Use one index", labels: byAndDate },
  { heading: "## Decision 4: Use one index", labels: byAndDate, title: "Decision 4: Use one index" },
  { heading: "### Decision: Use one index (2026-03-01)", labels: by },
  { heading: "### Use one index (2026-03-01)", labels: by },
  { heading: "### Use one index — 2026-03-01", labels: by },
  { heading: "### 2026-03-01T10:15:00Z: Use one index", labels: by, date: "2026-03-01T10:15:00+00:00" },
  { heading: "### 2026-03-01T10:15:00+01:00: Use one index", labels: by, date: "2026-03-01T10:15:00+01:00" },
  { heading: "### 2026-03-01T10:15:00Z — Use one index", labels: by, date: "2026-03-01T10:15:00+00:00" },
  { heading: "### ADR-001: Use one index", labels: byAndDate, title: "ADR-001: Use one index" },
  { heading: "## D-XYZ: Use one index", labels: byAndDate, title: "D-XYZ: Use one index" },
  { heading: "### D1: Use one index", labels: byAndDate, title: "D1: Use one index" },
  { heading: "### DEC-2026-004: Use one index", labels: byAndDate, title: "DEC-2026-004: Use one index" },
  { heading: "### RFC-12: Use one index", labels: byAndDate, title: "RFC-12: Use one index" },
  { heading: "### Keaton — Use one index", labels: "**Date:** 2026-03-01" },
  { heading: "### Use one index — Keaton", labels: "**Date:** 2026-03-01" },
  { heading: "### Use one index (Keaton, 2026-03-01)" },
  { heading: "### 2026-03-01 — Use one index", labels: by },
  { heading: "### 2026-03-01 - Use one index", labels: by },
  { heading: "### 2026-03-01 – Use one index", labels: by },
  { heading: "### 2026-03-01 | Use one index", labels: by },
  { heading: "### [2026-03-01] Use one index", labels: by },
  { heading: "### 2026-03-01/02: Use one index", labels: by },
  { heading: "### ✅ 2026-03-01: Use one index", labels: by },
  { heading: "### 📌 2026-03-01: Use one index", labels: by },
  { heading: "## 2026-03-01: Decision: Use one index", labels: by },
  { heading: "## 2026-03-01: Note: Use one index", labels: by, type: "note" },
  { heading: "### 2026-03-01: User directive — Use one index", labels: by, type: "directive" },
  { heading: "### User directive — Use one index", labels: byAndDate, type: "directive" },
  { heading: "### Directive: Use one index", labels: byAndDate, type: "directive" },
]

test.each(styles)("the heading style $heading is understood", ({ heading, labels = "", title, date, author, type }) => {
  const { entry, reading } = readLegacy(`${heading}\n\n${labels}\n\nAll files share it.\n`)
  expect({ title: entry.title, author: entry.author, type: entry.type, reasons: reading.reasons }).toEqual({
    title: title ?? "Use one index",
    author: author ?? "Keaton",
    type: type ?? "decision",
    reasons: [],
  })
  expect(entry.timestamp).toBe(date ?? "2026-03-01T00:00:00+00:00")
  expect(entry.precision).toBe(date ? "second" : "day")
  expect(entry.details).toContain("All files share it.")
})

test("a numbered heading is understood", () => {
  const { entry, reading } = readLegacy(`### 3. Use one index\n\n${byAndDate}\n\nText.\n`)
  expect(entry.title).toMatch(/^(3\. )?Use one index$/)
  expect([entry.author, reading.reasons]).toEqual(["Keaton", []])
})

test("an id in a heading becomes a relation or a tag too", () => {
  const { entry } = readLegacy(`### ADR-001: Use one index\n\n${byAndDate}\n\nText.\n`)
  const named = [...entry.tags, ...entry.related.map(({ identifier }) => identifier)].map((name) => name.toLowerCase())
  expect(named.some((name) => name.includes("adr-001") || name === "001")).toBe(true)
})

test("a level 3 heading with date and type is SEM, whatever the case of the type", () => {
  const { entries } = read("### 2026-03-01: Decision: Use one index\n\n**By:** Keaton\n")
  expect(entries.map(({ format, entry }) => [format, entry.title, entry.author])).toEqual([
    ["sem", "Use one index", "Keaton"],
  ])
})

test("a heading is parsed into level, date and title", () => {
  expect(parseHeading("## 2026-03-01: Use one index ##")).toMatchObject({ level: 2, title: "Use one index" })
  expect(parseHeading("**2026-03-01: Use one index**")).toMatchObject({ level: 4, title: "Use one index" })
  expect(parseHeading("#hashtag")).toBe(undefined)
  expect(parseHeading("text")).toBe(undefined)
  expect(parseHeading("### ADR-7: x")?.named).toBe(true)
  expect(parseHeading("### Use one index")?.named).toBe(false)
})

// Date forms

type DateForm = { written: string; timestamp: string; precision?: "second"; reasons?: string[] }
const dateForms: DateForm[] = [
  { written: "2026-03-02", timestamp: "2026-03-02T00:00:00+00:00" },
  { written: "2026-03-02T10:15:00Z", timestamp: "2026-03-02T10:15:00+00:00", precision: "second" },
  { written: "2026-03-02T10:15:00.123Z", timestamp: "2026-03-02T10:15:00+00:00", precision: "second" },
  { written: "2026-03-02T10:15:00-05:00", timestamp: "2026-03-02T10:15:00-05:00", precision: "second" },
  { written: "2026-03-02T10:15:00-0500", timestamp: "2026-03-02T10:15:00-05:00", precision: "second" },
  { written: "2026-03-02T01-09-49Z", timestamp: "2026-03-02T01:09:49+00:00", precision: "second" },
  { written: "2026-03-02T10-18", timestamp: "2026-03-02T10:18:00+00:00", precision: "second" },
  { written: "2026-03-02T123739Z", timestamp: "2026-03-02T12:37:39+00:00", precision: "second" },
  { written: "2026-03-02T1018Z", timestamp: "2026-03-02T10:18:00+00:00", precision: "second" },
  { written: "2026-03-02T12:42:10", timestamp: "2026-03-02T12:42:10+00:00", precision: "second" },
  { written: "2026-03-02T12:42", timestamp: "2026-03-02T12:42:00+00:00", precision: "second" },
  { written: "2026-03-02 12:42", timestamp: "2026-03-02T12:42:00+00:00", precision: "second" },
  { written: "March 2, 2026", timestamp: "2026-03-02T00:00:00+00:00" },
  { written: "2 March 2026", timestamp: "2026-03-02T00:00:00+00:00" },
  { written: "2026-03", timestamp: "2026-03-01T00:00:00+00:00", reasons: ["month only"] },
  { written: "March 2026", timestamp: "2026-03-01T00:00:00+00:00", reasons: ["month only"] },
  { written: "2026-03-02 to 2026-03-05", timestamp: "2026-03-02T00:00:00+00:00" },
  { written: "2026-03-02, refined 2026-03-04", timestamp: "2026-03-02T00:00:00+00:00" },
]

test.each(dateForms)("a date label may contain $written", ({ written, timestamp, precision, reasons }) => {
  const { entry, reading } = readLegacy(`### Use one index\n\n**By:** Keaton\n**Date:** ${written}\n**What:** Text.\n`)
  expect([entry.timestamp, entry.precision]).toEqual([timestamp, precision ?? "day"])
  expect([reading.dateSource, reading.reasons]).toEqual(["label", reasons ?? []])
})

test.each(dateForms.filter(({ written }) => !/^\D|^\d\D|to|,/.test(written)))(
  "a heading may begin with $written",
  ({ written, timestamp, precision, reasons }) => {
    const { entry, reading } = readLegacy(`### ${written} — Use one index\n\n**By:** Keaton\n**What:** Text.\n`)
    expect([entry.title, entry.timestamp, entry.precision]).toEqual(["Use one index", timestamp, precision ?? "day"])
    expect([reading.dateSource, reading.reasons]).toEqual(["heading", reasons ?? []])
  },
)

test("impossible dates are not dates", () => {
  for (const text of ["2026-13-01", "2026-02-30", "2026-00-00", "30 February 2026", "version 2026.1", "12026-01-01x"]) {
    expect([text, findDates(text).filter(({ kind }) => kind !== "month")]).toEqual([text, []])
  }
  expect(findDates("2026-02-14, refined 2026-02-15").map((date) => "date" in date && date.date)).toEqual([
    "2026-02-14",
    "2026-02-15",
  ])
})

// Labels

const labelForms = [
  "**By:** Keaton\n**Date:** 2026-03-01",
  "**By**: Keaton\n**Date**: 2026-03-01",
  "__By:__ Keaton\n__Date:__ 2026-03-01",
  "- **By:** Keaton\n- **Date:** 2026-03-01",
  "* **By:** Keaton\n* **Date:** 2026-03-01",
  "> **By:** Keaton\n> **Date:** 2026-03-01",
  "By: Keaton\nDate: 2026-03-01",
  "**By:** Keaton | **Date:** 2026-03-01",
  "**By:** Keaton · **Date:** 2026-03-01",
  "| | |\n|---|---|\n| **Author** | Keaton |\n| **Date** | 2026-03-01 |",
  "**by:** Keaton  \n**DATE:** 2026-03-01  ",
]

test.each(labelForms)("labels may be written as %j", (labels) => {
  const { entry, reading } = readLegacy(`### Use one index\n\n${labels}\n\nAll files share it.\n`)
  expect(entry).toMatchObject({ title: "Use one index", author: "Keaton", timestamp: "2026-03-01T00:00:00+00:00" })
  expect([reading.authorSource, reading.dateSource, reading.reasons]).toEqual(["label", "label", []])
  expect(entry.details).toContain("All files share it.")
})

test("a label alone on its line opens a block of text or a list", () => {
  const text = `### 2026-03-01: Use one index\n\n**By:** Keaton\n\n**What:**\n\n- One index.\n- No other.\n\n**Why:**\nTwo went apart.\nTwice.\n`
  const { entry } = readLegacy(text)
  expect(entry.details).toContain("- One index.\n- No other.")
  expect(entry.rationale).toBe("Two went apart.\nTwice.")
})

const synonyms = {
  author:
    "by, author, authors, author(s), architect/author, decided by, decision by, made by, agent, owner, from, lead, proposed by, raised by, submitted by, filed by, recorded by, written by, prepared by, reported by, implemented by, decision maker, decision makers, decision maker(s), deciders, engineer, analyst, architect",
  weakAuthor: "requested by, approved by, reviewer, assignee, participants, audited by",
  date: "date, timestamp, when, decided, decision date, date decided, created, recorded, date/time, datetime, time",
  weakDate: "merged, updated, last updated",
  details:
    "what, decision, the decision, details, description, directive, change, what changed, outcome, solution, implementation, resolution, action, summary",
  rationale: "why, rationale, reason, reasoning, motivation, context, background, problem, root cause, why it matters",
}
const spelt = (names: string) => names.split(", ").map((name) => name.charAt(0).toUpperCase() + name.slice(1))

test.each([...spelt(synonyms.author), ...spelt(synonyms.weakAuthor)])("%s names the author", (label) => {
  const { entry, reading } = readLegacy(`### 2026-03-01: Use one index\n\n**${label}:** Marlow\n\nText.\n`)
  expect([entry.author, reading.authorSource]).toEqual(["Marlow", "label"])
})

test.each(spelt(synonyms.weakAuthor))("a stronger label overrides %s, before or after it", (label) => {
  for (const labels of [`**${label}:** Ines\n**By:** Marlow`, `**By:** Marlow\n**${label}:** Ines`]) {
    const { entry } = readLegacy(`### 2026-03-01: Use one index\n\n${labels}\n\nText.\n`)
    expect(entry.author).toBe("Marlow")
    expect(writeEntry(entry)).toContain("Ines")
  }
})

test.each([...spelt(synonyms.date), ...spelt(synonyms.weakDate)])("%s gives the date", (label) => {
  const { entry } = readLegacy(`### Use one index\n\n**By:** Keaton\n**${label}:** 2026-03-01\n**What:** Text.\n`)
  expect(entry.timestamp).toBe("2026-03-01T00:00:00+00:00")
})

test.each(spelt(synonyms.weakDate))("a stronger date overrides %s", (label) => {
  const { entry } = readLegacy(
    `### Use one index\n\n**By:** Keaton\n**${label}:** 2026-04-09\n**Date:** 2026-03-01\n\nText.\n`,
  )
  expect(entry.timestamp).toBe("2026-03-01T00:00:00+00:00")
})

test.each(spelt(synonyms.details))("%s states the decision", (label) => {
  const { entry } = readLegacy(
    `### 2026-03-01: Use one index\n\n**By:** Keaton\n**${label}:** One for all files. No other.\n`,
  )
  expect(entry.details).toContain("One for all files. No other.")
  expect(entry.summary).toBe("One for all files.")
  expect(entry.rationale).toBe(undefined)
})

test.each(spelt(synonyms.rationale))("%s states the reason", (label) => {
  const text = `### 2026-03-01: Use one index\n\n**By:** Keaton\n**What:** One for all.\n**${label}:** Two went apart.\n`
  const { entry } = readLegacy(text)
  expect(entry.rationale).toContain("Two went apart.")
  expect(entry.details ?? "").not.toContain("Two went apart.")
})

test("other labels are body text and unchanged", () => {
  const rest = "**Impact:** high\n\n**Risk:** none\n\n**Files:** a.ts\n\n**Next steps:** rest"
  const { entry } = readLegacy(`### 2026-03-01: Use one index\n\n**By:** Keaton\n**What:** One.\n\n${rest}\n`)
  for (const line of rest.split("\n\n")) expect(entry.details).toContain(line)
  expect(entry.extensions).toEqual([])
})

test("the status is kept as an extension", () => {
  const { entry } = readLegacy(
    "### 2026-03-01: Use one index\n\n**By:** Keaton\n**Status:** Accepted\n**What:** One.\n",
  )
  expect(entry.extensions.find(({ name }) => name === "status")?.value).toMatch(/^accepted$/i)
})

test("a valid scope is the scope, any other is a tag; tags, category and area are tags", () => {
  const entryWith = (label: string) =>
    readLegacy(`### 2026-03-01: Use one index\n\n**By:** Keaton\n${label}\n**What:** One.\n`).entry
  expect(entryWith("**Scope:** project").scope).toBe("project")
  expect(entryWith("**Scope:** agent:r2-d2").scope).toBe("agent:r2-d2")
  expect(entryWith("**Scope:** Indexing")).toMatchObject({ scope: "team", tags: ["Indexing"] })
  expect(entryWith("**Tags:** cache, index").tags).toEqual(["cache", "index"])
  expect(entryWith("**Category:** Storage").tags).toEqual(["Storage"])
  expect(entryWith("**Area:** Storage").tags).toEqual(["Storage"])
})

test("issues, pull requests and proposals become relations", () => {
  const entryWith = (label: string) =>
    readLegacy(`### 2026-03-01: Use one index\n\n**By:** Keaton\n${label}\n**What:** One.\n`).entry
  expect(entryWith("**Issue:** #123").related).toEqual([{ type: "issue", identifier: "#123" }])
  expect(entryWith("**Issues:** #1, #2").related).toEqual([
    { type: "issue", identifier: "#1" },
    { type: "issue", identifier: "#2" },
  ])
  expect(entryWith("**PR:** #9").related).toEqual([{ type: "pr", identifier: "#9" }])
  expect(entryWith("**Related:** PR #9").related).toEqual([{ type: "pr", identifier: "#9" }])
  expect(entryWith("**Proposal:** 024").related).toEqual([{ type: "proposal", identifier: "024" }])
  expect(entryWith("**References:** Proposal 024").related).toEqual([{ type: "proposal", identifier: "024" }])
})

test("a value of digits and dashes is not an author, and labels in fences do not count", () => {
  expect(readLegacy("### 2026-03-01: Use one index\n\n**By:** 2026-03-01\n\nText.\n").entry.author).toBe("unknown")
  const fenced = "### 2026-03-01: Use one index\n\n```\n**By:** Ines\n```\n\n**By:** Marlow\n"
  expect(readLegacy(fenced).entry.author).toBe("Marlow")
})

test("of two author labels the first counts and the second is not lost", () => {
  const { entry } = readLegacy("### 2026-03-01: Use one index\n\n**By:** Marlow\n**Owner:** Ines\n\nText.\n")
  expect(entry.author).toBe("Marlow")
  expect(writeEntry(entry)).toContain("Ines")
})

test("labels count in the first 200 lines of an entry only", () => {
  const filler = (count: number) => "x\n".repeat(count)
  expect(readLegacy(`### 2026-03-01: Use one index\n${filler(190)}**By:** Marlow\n`).entry.author).toBe("Marlow")
  expect(readLegacy(`### 2026-03-01: Use one index\n${filler(210)}**By:** Marlow\n`).entry.author).toBe("unknown")
})

test("a plain label counts only at the top of an entry", () => {
  expect(readLegacy("### 2026-03-01: Use one index\n\nSome text first.\n\nBy: Marlow\n").entry.author).not.toBe(
    "Marlow",
  )
})

test("the labels of one line are read one by one", () => {
  const told = parseLabels("**By:** Keaton | **Date:** 2026-03-01 · **Status:** done", true)
  expect(told.map(({ field, value }) => [field, value.replace(/[ |·]+$/, "")])).toEqual([
    ["author", "Keaton"],
    ["date", "2026-03-01"],
    ["status", "done"],
  ])
  expect(parseLabels("**Impact:** high", true).map(({ field }) => field)).toEqual(["text"])
  expect(parseLabels("just text", true)).toEqual([])
})

// Authors

const authorForms: [string, string, string[], [string, string][]][] = [
  ["Marlow", "Marlow", [], []],
  ["Mary Ann", "Mary Ann", [], []],
  ["Marlow (Lead)", "Marlow", [], [["role", "Lead"]]],
  ["Marlow (via Copilot)", "Marlow", [], [["via", "Copilot"]]],
  ["Marlow, Ines", "Marlow", ["Ines"], []],
  ["Marlow & Ines", "Marlow", ["Ines"], []],
  ["Marlow + Ines", "Marlow", ["Ines"], []],
  ["Marlow and Ines", "Marlow", ["Ines"], []],
  ["Marlow / Ines", "Marlow", ["Ines"], []],
  ["Marlow; Ines", "Marlow", ["Ines"], []],
  ["Marlow, Ines and Ostap", "Marlow", ["Ines", "Ostap"], []],
  ["**Marlow**", "Marlow", [], []],
  ["_Marlow_", "Marlow", [], []],
  ["`marlow`", "marlow", [], []],
  ["@marlow", "marlow", [], []],
  ["🐿️ Marlow", "Marlow", [], []],
  ["🐿 **Marlow** (Lead)", "Marlow", [], [["role", "Lead"]]],
  ["Marlow <marlow@example.org>", "Marlow", [], []],
  ["r2-d2", "r2-d2", [], []],
  ["Zoë", "Zoë", [], []],
]

test.each(authorForms)("the author form %j is understood", (value, author, contributors, extensions) => {
  expect(parseAuthors(value)).toEqual({
    author,
    contributors,
    extensions: extensions.map(([name, text]) => ({ name, value: text })),
  })
  const { entry, reading } = readLegacy(`### 2026-03-01: Use one index\n\n**By:** ${value}\n**What:** One.\n`)
  expect([entry.author, entry.contributors, reading.reasons]).toEqual([author, contributors, []])
})

test("a value that is not a name is not an author", () => {
  for (const value of ["", "2026-03-01", "12", "---", "  "])
    expect([value, parseAuthors(value)]).toEqual([value, undefined])
})

test("the roster is read from the tables of the team file", () => {
  const team =
    "# Team\n\n| Name | Role |\n|------|------|\n| Keaton | Lead |\n| 🔧 **Fenster** | Dev |\n| @copilot | Agent |\n"
  expect(rosterNamesOf(team)).toEqual(["Keaton", "Fenster", "copilot"])
})

// The author's chain

test("the author is looked up in the documented order", () => {
  const authorOf = (text: string, context: Partial<ReadContext> = {}) => {
    const { entry, reading } = readLegacy(text, context)
    return [entry.author, reading.authorSource, reading.reasons]
  }
  const inbox = { kind: "inbox", fileName: "fenster-one-index.md" } as const
  const front = "---\nauthor: Hockney\ncreatedAt: 2026-03-01T10:00:00Z\n---\n\n"
  const heading = "### 2026-03-01: Use one index"

  expect(authorOf(`${front}${heading}\n\n**By:** Marlow\n`, inbox)).toEqual(["Marlow", "label", []])
  expect(authorOf(`${front}${heading}\n\nText.\n`, inbox)).toEqual(["Hockney", "front matter", []])
  expect(authorOf(`### 2026-03-01: Keaton — Use one index\n\nText.\n`, inbox)).toEqual(["Fenster", "file name", []])
  expect(authorOf("### 2026-03-01: Keaton — Use one index\n\nFenster measured.\n")).toEqual(["Keaton", "heading", []])
  expect(authorOf(`${heading}\n\nFenster measured it.\n\nWritten down by Marlow.\n`)).toEqual(["Fenster", "body", []])
  expect(authorOf(`${heading}\n\nProposed by Marlow after a talk.\n`)).toEqual(["Marlow", "by-line", []])
  expect(authorOf(`## Hockney\n\n${heading}\n\nText.\n`)).toEqual(["Hockney", "container", []])
  const blame = () => ({ timestamp: "2026-03-04T10:00:00+00:00", author: "Ostap" })
  expect(authorOf(`${heading}\n\nText.\n`, { blame })).toEqual(["Ostap", "git", ["author from git"]])
  expect(authorOf(`${heading}\n\nText.\n`)).toEqual(["unknown", "none", ["unknown author"]])
})

test("in a history file the directory comes first", () => {
  const context = { kind: "history", fileName: "history.md", agent: "keaton" } as const
  const { entry, reading } = readLegacy("### 2026-03-01: Use one index\n\n**By:** Marlow\n\nFenster agreed.\n", context)
  expect(entry.author.toLowerCase()).toBe("keaton")
  expect([reading.authorSource, reading.reasons]).toEqual(["directory", []])
  expect(writeEntry(entry)).toContain("Marlow")
})

test("several unlabelled names in the first lines need review", () => {
  const { reading } = readLegacy("### 2026-03-01: Use one index\n\nKeaton and Fenster talked it over.\n")
  expect(reading.reasons).toContain("several authors")
})

test("Scribe counts only if no other name occurs", () => {
  expect(readLegacy("### 2026-03-01: Use one index\n\nScribe merged it.\nKeaton decided it.\n").entry.author).toBe(
    "Keaton",
  )
  expect(readLegacy("### 2026-03-01: Use one index\n\nScribe merged it.\n").entry.author).toBe("Scribe")
})

test("roster names are whole words in any case of the roster's own spelling", () => {
  expect(readLegacy("### 2026-03-01: Use one index\n\nKeatonish thoughts.\n").entry.author).toBe("unknown")
  expect(readLegacy("### 2026-03-01: Use one index\n\nKEATON thought so.\n").entry.author).toBe("Keaton")
})

// The date's chain

test("the date is looked up in the documented order", () => {
  const dateOf = (text: string, context: Partial<ReadContext> = {}) => {
    const { entry, reading } = readLegacy(text, context)
    return [entry.timestamp.slice(0, 10), reading.dateSource, reading.reasons]
  }
  const blame = () => ({ timestamp: "2026-03-04T10:00:00+00:00", author: "Ostap" })
  expect(dateOf(`### 2026-03-01: T\n\n**By:** A\n**Date:** 2026-03-05\n`)).toEqual(["2026-03-01", "heading", []])
  expect(dateOf(`### 2026-03-01: T\n\n**By:** A\n**Date:** 2026-03-20\n`)).toEqual([
    "2026-03-20",
    "label",
    ["conflicting dates"],
  ])
  const twice = (second: string) => `### T\n\n**By:** A\n**Date:** 2026-03-05\n\nText.\n\n${second}\n`
  expect(dateOf(twice("**Date:** 2026-03-08"))).toEqual(["2026-03-05", "label", []])
  expect(dateOf(twice("**Date:** 2026-06-08"))).toEqual(["2026-03-05", "label", ["conflicting dates"]])
  expect(dateOf(twice("#### Phase 2\n\n**Date:** 2026-06-08"))).toEqual(["2026-03-05", "label", []])
  expect(dateOf(`### T\n\n**By:** A\n**Date:** 2026-03-05\n**What:** Since 2026-01-01.\n`)).toEqual([
    "2026-03-05",
    "label",
    [],
  ])
  expect(dateOf(`## What 2026-03-07 brought\n\n### T\n\n**By:** A\n**What:** x\n`)).toEqual([
    "2026-03-07",
    "container",
    [],
  ])
  expect(dateOf(`### T\n\n**By:** A\n**What:** Agreed on 2026-03-08 by all.\n`)).toEqual([
    "2026-03-08",
    "body",
    ["date from body text"],
  ])
  const archive = { kind: "archive", fileName: "decisions-archive-2026-03-09.md" } as const
  const [date, source, reasons] = dateOf("### T\n\n**By:** A\n**What:** x\n", archive)
  expect([date, source]).toEqual(["2026-03-09", "file name"])
  expect(reasons).not.toEqual([])
  expect(dateOf("### T\n\n**By:** A\n**What:** x\n", { blame })).toEqual(["2026-03-04", "git", ["date from git"]])
  const [, none, missing] = dateOf("### T\n\n**By:** A\n**What:** x\n")
  expect([none, missing]).toEqual(["none", ["missing date"]])
  const two = "### T\n\n**By:** A\n**What:** Between 2026-03-08 and 2026-03-10.\n"
  expect(readLegacy(two).reading.dateSource).not.toBe("label")
})

// Types

test("the type follows the first matching rule", () => {
  const typeOf = (text: string, context: Partial<ReadContext> = {}) => {
    const { entry, reading } = readLegacy(text, context)
    return [entry.type, reading.reasons.includes("ambiguous type")]
  }
  const entry = (heading: string, body = "**By:** Keaton\n**What:** Text.") => `### 2026-03-01: ${heading}\n\n${body}\n`
  // 1: stated in the heading or a label
  expect(typeOf("## 2026-03-01: Memory: T\n\n**By:** Keaton\n")).toEqual(["memory", false])
  expect(typeOf(entry("T", "**By:** Keaton\n**Type:** note"))).toEqual(["note", false])
  // 2: a directive
  expect(typeOf(entry("User directive about tests"))).toEqual(["directive", false])
  expect(typeOf(entry("Cross-team directive-shift memo pattern"))).toEqual(["decision", false])
  expect(typeOf(entry("T"), { kind: "inbox", fileName: "copilot-directive-2026.md" })).toEqual(["directive", false])
  expect(typeOf(entry("T", "**By:** Ostap (via Copilot)\n**What:** Text."))).toEqual(["directive", false])
  expect(typeOf(entry("T", "**By:** Ostap\n**What:** Text.\n**Why:** User request — captured for the team."))).toEqual([
    "directive",
    false,
  ])
  for (const rule of [
    "Always run the tests.",
    "Never push to main.",
    "Do not use tabs.",
    "From now on we squash.",
    "Must be typed.",
  ]) {
    expect([rule, typeOf(entry("T", `**By:** Ostap\n**What:** ${rule}`))]).toEqual([rule, ["directive", false]])
    expect([rule, typeOf(entry("T", `**By:** Keaton\n**What:** ${rule}`))]).toEqual([rule, ["decision", false]]) // stated by an agent
  }
  // 3: a history
  expect(typeOf(entry("T"), { kind: "history", fileName: "history.md", agent: "keaton" })).toEqual(["memory", false])
  // 4: a decision file
  for (const kind of ["decisions", "archive", "inbox"] as const)
    expect(typeOf(entry("T"), { kind })).toEqual(["decision", false])
  // 5: reports
  for (const report of [
    "Session summary",
    "Retrospective",
    "Sprint 4 complete",
    "PR #12 review",
    "PR #12 merged",
    "Status",
    "Triage",
    "Handoff",
  ]) {
    expect([report, typeOf(entry(report, "**By:** Keaton\n\nAll went well."))]).toEqual([report, ["note", true]])
  }
  expect(typeOf(entry("Session summary"))).toEqual(["decision", false])
  expect(typeOf(entry("Sprint 4 complete: decision on tests", "**By:** Keaton\n\nAll went well."))).toEqual([
    "decision",
    false,
  ])
  expect(typeOf(entry("Retrospective", "**By:** Keaton\n\n#### Decision\n\nGo on."))).toEqual(["decision", false])
})

test("a numbered list under a heading that says decisions needs review", () => {
  const text = "### 2026-03-01: Storage decisions\n\n**By:** Keaton\n\n1. One index.\n2. One queue.\n3. One cache.\n"
  expect(readLegacy(text).reading.reasons).toContain("several decisions in one entry")
})

// Summary, details, rationale

test("the summary is the first sentence without Markdown, cut at a word, and the sentence stays in the details", () => {
  const { entry } = readLegacy(
    "### 2026-03-01: T\n\n**By:** Keaton\n**What:** Use **one** [index](x.md) for `all` files. Then rest.\n",
  )
  expect(entry.summary).toBe("Use one index for all files.")
  const long = `${"Many words make a long sentence ".repeat(6).trim()}.`
  const cut = readLegacy(`### 2026-03-01: T\n\n**By:** Keaton\n**What:** ${long}\n`).entry
  expect([...cut.summary].length).toBeLessThanOrEqual(120)
  expect(cut.summary.endsWith("…")).toBe(true)
  expect(long.startsWith(cut.summary.slice(0, -1))).toBe(true)
  expect(long.charAt(cut.summary.length - 1)).toBe(" ")
  expect(cut.details).toContain(long)
  expect(readLegacy("### 2026-03-01: Only a title\n\n**By:** Keaton\n").entry.summary).toBe("Only a title")
})

test("details keep every block in its order with headings at level 4 or deeper", () => {
  const text =
    "### 2026-03-01: T\n\n**By:** Keaton\n\n## Context\n\nSlow.\n\n```md\n## code\n```\n\n### Options\n\n| a | b |\n|---|---|\n\n**Impact:** high\n\n> quote\n"
  const { entry } = readLegacy(text)
  const kept = `${entry.details}\n${entry.rationale ?? ""}`
  for (const part of [
    "Slow.",
    "```md\n## code\n```",
    "##### Options",
    "| a | b |\n|---|---|",
    "**Impact:** high",
    "> quote",
  ]) {
    expect(kept).toContain(part)
  }
  expect(kept.replace(/```[\s\S]*?```/g, "")).not.toMatch(/^#{1,3} /m)
})

// Where entries begin

test("headings inside an entry belong to it whatever their level", () => {
  const text = `# Squad Decisions

### 2026-03-01: First
**By:** Keaton

## Context

Slow.

# Rationale

Why not.

### Options

#### 2026-03-01: what happened that day

P.

### 2026-03-02: Second
**By:** Fenster

## Impact

Big.
`
  const { entries } = read(text)
  expect(entries.map(({ entry }) => entry.title)).toEqual(["First", "Second"])
  for (const word of ["Slow.", "Why not.", "Options", "what happened that day"]) {
    expect(writeEntry((entries[0] as ReadEntry).entry)).toContain(word)
  }
  expect(writeEntry((entries[1] as ReadEntry).entry)).toContain("Big.")
})

test("headings in fences start nothing", () => {
  const text =
    "### 2026-03-01: First\n**By:** Keaton\n\n```\n### 2026-03-02: Example\n**By:** X\n```\n\n### 2026-03-03: Second\n**By:** Fenster\n"
  expect(titles(text)).toEqual(["First", "Second"])
})

test("section names start nothing unless they are dated or signed", () => {
  const names = [
    "Active Decisions",
    "Decision Log",
    "Governance",
    "Archive",
    "Index",
    "Table of Contents",
    "Overview",
    "Format",
    "Template",
    "How to use",
  ]
  for (const name of names) {
    expect([name, titles(`## ${name}\n\nSome text about it.\n\n### 2026-03-01: First\n**By:** Keaton\n`)]).toEqual([
      name,
      ["First"],
    ])
  }
  expect(titles("## Governance\n\n**By:** Keaton\n**Date:** 2026-03-01\n\nText.\n")).toEqual(["Governance"])
  expect(titles("## Governance (2026-03-01)\n\n**By:** Keaton\n\nText.\n")).toEqual(["Governance"])
})

test("priorities are sub-headings unless labels follow them", () => {
  const text = (labels: string) =>
    `### 2026-03-01: First\n**By:** Keaton\n\n### P0\n${labels}\nNow.\n\n### P1: later\n\nThen.\n`
  expect(titles(text(""))).toEqual(["First"])
  expect(titles(text("**By:** Fenster\n**Date:** 2026-03-02\n")).length).toBe(2)
})

test("named headings start an entry if they are not deeper, or if they are signed", () => {
  expect(titles("### 2026-03-01: First\n**By:** Keaton\n\n### Decision: Second\n\nText.\n")).toEqual([
    "First",
    "Second",
  ])
  expect(titles("## 2026-03-01: First\n**By:** Keaton\n\n### ADR-002: Inside\n\nText.\n")).toEqual(["First"])
  expect(titles("## 2026-03-01: First\n**By:** Keaton\n\n### ADR-002: Second\n**By:** Fenster\n\nText.\n")).toEqual([
    "First",
    "ADR-002: Second",
  ])
})

test("labels start an entry: author and date, one of them with a what, or one of them if not deeper", () => {
  const after = (heading: string, labels: string) =>
    titles(`### 2026-03-01: First\n**By:** Keaton\n\n${heading}\n${labels}\n\nText.\n`)
  expect(after("#### Second", "**By:** A\n**Date:** 2026-03-02")).toEqual(["First", "Second"])
  expect(after("#### Second", "**By:** A\n**What:** x")).toEqual(["First", "Second"])
  expect(after("### Second", "**By:** A")).toEqual(["First", "Second"])
  expect(after("#### Second", "**By:** A")).toEqual(["First"])
  expect(after("#### Second", "**What:** x")).toEqual(["First"])
  expect(after("### Second", "**What:** x")).toEqual(["First"])
})

test("labels count in the twelve lines below a heading and not past the next heading", () => {
  const text = (blank: number) => `### Far\n${"text\n".repeat(blank)}**By:** A\n**Date:** 2026-03-02\n`
  expect(titles(text(9))).toEqual(["Far"])
  expect(titles(text(13))).toEqual([])
  expect(titles("# Container of one\n\n### Near\n\n**By:** A\n**Date:** 2026-03-02\n")).toEqual(["Near"])
})

test("a container passes on its date and author, stays in its place and is not an entry", () => {
  const text =
    "# Decisions\n\n## Since 2026-03-07, with Keaton in the lead\n\n### One\n**Status:** done\n**By:** Hockney\n\nText.\n\n### Two\n**Date:** 2026-03-09\n**What:** x\n"
  const { entries, segments } = read(text)
  expect(entries.map(({ entry }) => [entry.title, entry.author, entry.timestamp.slice(0, 10)])).toEqual([
    ["One", "Hockney", "2026-03-07"],
    ["Two", "Keaton", "2026-03-09"],
  ])
  expect(
    segments
      .filter(({ entry }) => !entry)
      .map(({ text: part }) => part)
      .join(""),
  ).toContain("with Keaton in the lead")
})

test("a repeated heading gives two entries, copies with one id and others with two", () => {
  const one = "### 2026-03-01: Same\n**By:** Keaton\n**What:** One.\n\n"
  const two = "### 2026-03-01: Same\n**By:** Keaton\n**What:** Two.\n\n"
  const { entries } = read(one + two + one)
  expect(entries.map(({ entry }) => entry.summary)).toEqual(["One.", "Two.", "One."])
  expect(entries[2]?.id).toBe(entries[0]?.id)
  expect(entries[1]?.id).not.toBe(entries[0]?.id)
})

test("a bold line with a date and labels below it is a heading", () => {
  const text =
    "**2026-02-10: First**\n**By:** Keaton\n**What:** One.\n\n**2026-02-11: Second**\n**By:** Fenster\n**What:** Two.\n"
  expect(read(text).entries.map(({ entry }) => [entry.title, entry.author])).toEqual([
    ["First", "Keaton"],
    ["Second", "Fenster"],
  ])
  expect(titles("### 2026-02-09: Day\n**By:** Keaton\n\n**2026-02-10: it rained**\n\nMore text.\n")).toEqual(["Day"])
})

test("a range of days counts by its first day", () => {
  const { entry } = readLegacy("### 2026-02-14/15: Two days of work\n**By:** Keaton\n**What:** x\n")
  expect([entry.title, entry.timestamp]).toEqual(["Two days of work", "2026-02-14T00:00:00+00:00"])
})

test("inner rules end nothing and a rule before the next entry is not part of either", () => {
  const text =
    "### 2026-03-01: First\n**By:** Keaton\n\nAbove.\n\n---\n\nBelow.\n\n---\n\n### 2026-03-02: Second\n**By:** Fenster\n"
  const { entries } = read(text)
  expect(entries.map(({ entry }) => entry.title)).toEqual(["First", "Second"])
  expect(entries[0]?.entry.details).toBe("Above.\n\n---\n\nBelow.")
})

test("a struck heading or one superseded by another entry is linked to it", () => {
  const text =
    "### ADR-001: Use tabs [SUPERSEDED by ADR-002]\n**By:** Keaton\n**Date:** 2026-03-01\n\nTabs.\n\n### ADR-002: Use spaces\n**By:** Keaton\n**Date:** 2026-03-02\n\nSpaces.\n"
  const [tabs, spaces] = read(text).entries
  expect(tabs?.entry.supersededBy).toEqual([spaces?.id])
  const struck = readLegacy("### ~~2026-03-01: Use tabs~~\n**By:** Keaton\n**What:** Tabs.\n").entry
  expect([struck.title, struck.timestamp]).toEqual(["Use tabs", "2026-03-01T00:00:00+00:00"])
})

test("legacy files with CRLF and a BOM are read like others", () => {
  const text = "# Squad Decisions\n\n### 2026-03-01: First\n**By:** Keaton\n**What:** One.\n**Why:**\n- a\n- b\n"
  const expected = read(text).entries.map(({ entry }) => entry)
  expect(read(`\uFEFF${text.replaceAll("\n", "\r\n")}`).entries.map(({ entry }) => entry)).toEqual(expected)
})

// Inbox files

test("an inbox file is one entry with its sub-headings, named by its heading", () => {
  const text =
    "# Decision: Use one index\n\n**Author:** Keaton\n**Date:** 2026-03-01\n\n## Context\n\nSlow.\n\n## Decision\n\n**By:** nobody else\n\nOne index.\n"
  const { entry } = readLegacy(text, { kind: "inbox", fileName: "keaton-one-index.md" })
  expect(entry).toMatchObject({ title: "Use one index", author: "Keaton", type: "decision" })
  expect(writeEntry(entry)).toContain("One index.")
})

test("front matter gives an inbox file's entry its id, title, author and time", () => {
  const text = `---
id: 0b7e0a52-7f0f-4f3a-9a55-0d3f6f6f0001
class: decision
title: Use one index
author: Keaton
createdAt: 2026-03-01T10:15:00Z
---

All files share it.

### A block with a heading

And text.
`
  const { entry, id } = readLegacy(text, { kind: "inbox", fileName: "x.md" })
  expect(entry).toMatchObject({ title: "Use one index", author: "Keaton", timestamp: "2026-03-01T10:15:00+00:00" })
  expect(id).toBe("0b7e0a52-7f0f-4f3a-9a55-0d3f6f6f0001")
  for (const part of ["All files share it.", "A block with a heading", "And text."])
    expect(writeEntry(entry)).toContain(part)
})

test("an inbox file is split only when two starts are dated", () => {
  const inbox = { kind: "inbox", fileName: "keaton-x.md" } as const
  const one = "# Decision: A\n\n**By:** Keaton\n\n## Decision: B\n\n**By:** Fenster\n**Date:** 2026-03-01\n"
  expect(read(one, inbox).entries.length).toBe(1)
  expect(read("# 2026-03-01: A\n\n**By:** K\n\n## Context\n\nx\n\n## Decision: B\n\ny\n", inbox).entries.length).toBe(1)
  expect(read("### 2026-03-01: A\n\n**By:** K\n\n### 2026-03-02: B\n\n**By:** K\n", inbox).entries.length).toBe(2)
})

test("an inbox file's name gives the author when it begins with a roster name, and a directive its type", () => {
  const text = "# Use one index\n\n**Date:** 2026-03-01\n\nAll files share it.\n"
  const authorOf = (fileName: string) => readLegacy(text, { kind: "inbox", fileName }).entry.author
  expect(authorOf("keaton-one-index.md")).toBe("Keaton")
  expect(authorOf("r2-d2-one-index.md")).toBe("r2-d2")
  expect(authorOf("someone-one-index.md")).toBe("unknown")
  const directive = readLegacy(text, { kind: "inbox", fileName: "copilot-directive-2026-03-01T10-00-00Z.md" }).entry
  expect(directive.type).toBe("directive")
})

test("an inbox file without any heading is still one entry", () => {
  const { entry } = readLegacy("**By:** Keaton\n**Date:** 2026-03-01\n\nAll files share one index.\n", {
    kind: "inbox",
    fileName: "one-index.md",
  })
  expect(entry).toMatchObject({ author: "Keaton", timestamp: "2026-03-01T00:00:00+00:00" })
  expect(writeEntry(entry)).toContain("All files share one index.")
})

// Histories

const history = { kind: "history", fileName: "history.md", agent: "keaton" } as const

test("in a history each bullet is a memory of the agent, with its wrapped lines and its sub-list", () => {
  const text =
    "# Keaton\n\n## Learnings\n\n- One thing,\n  said on two lines\n- Another\n  - with a part\n  - and a part\n* A third\n\nSome prose.\n"
  const { entries } = read(text, history)
  expect(entries.map(({ entry }) => [entry.type, entry.author.toLowerCase(), entry.scope.toLowerCase()])).toEqual([
    ["memory", "keaton", "agent:keaton"],
    ["memory", "keaton", "agent:keaton"],
    ["memory", "keaton", "agent:keaton"],
  ])
  expect(entries.map((each) => each.format === "legacy" && each.unit)).toEqual(["bullet", "bullet", "bullet"])
  expect(writeEntry(entryAt(entries, 0))).toContain("said on two lines")
  expect(writeEntry(entryAt(entries, 1))).toContain("with a part")
  expect(writeEntry(entryAt(entries, 1))).toContain("and a part")
  expect(writeEntry(entryAt(entries, 2))).not.toContain("Some prose.")
})

test("a dated bullet has its own date", () => {
  const text =
    "## Learnings\n\n- 2026-03-01: Learnt a thing\n- **2026-03-02:** Learnt another\n- [2026-03-03] And a third\n- Undated\n"
  const { entries } = read(text, history)
  expect(entries.slice(0, 3).map(({ entry }) => entry.timestamp.slice(0, 10))).toEqual([
    "2026-03-01",
    "2026-03-02",
    "2026-03-03",
  ])
  expect(entries[0]?.entry.summary).toBe("Learnt a thing")
  expect(entries.length).toBe(4)
})

test("a pinned line is a note of the one who decided", () => {
  const text =
    "## Learnings\n\n📌 Team update (2026-03-01T10:15:00Z): One index for all — decided by Fenster\n- 📌 Team update (2026-03-02): One queue — decided by Hockney\n- A bullet\n"
  const { entries } = read(text, history)
  expect(entries.map((each) => each.format === "legacy" && each.unit)).toEqual(["update", "update", "bullet"])
  expect(entries[0]?.entry).toMatchObject({
    type: "note",
    author: "Fenster",
    timestamp: "2026-03-01T10:15:00+00:00",
    tags: ["team-update"],
  })
  expect(entries[0]?.entry.summary).toContain("One index for all")
  expect(entries[1]?.entry).toMatchObject({ type: "note", author: "Hockney", tags: ["team-update"] })
  expect(entries[1]?.entry.timestamp.slice(0, 10)).toBe("2026-03-02")
})

test("headed entries and bullets are read side by side, and bullets in an entry are its text", () => {
  const text =
    "## Learnings\n\n- Loose one\n\n### 2026-03-01: Fixed the cache\n\n- part of it\n- also part\n\n### 2026-03-02: Fixed the index\n\nText.\n"
  const { entries } = read(text, history)
  expect(entries.map(({ entry }) => [entry.type, entry.title])).toEqual([
    ["memory", "Loose one"],
    ["memory", "Fixed the cache"],
    ["memory", "Fixed the index"],
  ])
  expect(entries[1]?.entry.details).toContain("- part of it\n- also part")
})

test("profile sections are not entries", () => {
  const text =
    "# Keaton\n\n## Project Context\n\n- **Owner:** Ostap\n- **Stack:** TypeScript\n- **Created:** 2026-03-01\n\n## Core Context\n\n- Knows the index\n\n## Learnings\n\n- A lesson\n"
  const { entries } = read(text, history)
  expect(entries.map(({ entry }) => entry.title)).toEqual(["A lesson"])
})

test("dated bullets of a decisions file are decisions, other bullets are text", () => {
  const { entries } = read(
    "# Decisions\n\n## Active Decisions\n\n- 2026-03-04: Cache pages for an hour. (By: Keaton)\n- **2026-03-05:** Fenster keeps the queue\n  on one host.\n- plain\n\n## Governance\n\n- All agents read this.\n",
  )
  expect(entries.map(({ entry, line, endLine }) => [entry.type, entry.title, entry.author, line, endLine])).toEqual([
    ["decision", "Cache pages for an hour.", "Keaton", 5, 5],
    ["decision", "Fenster keeps the queue", "Fenster", 6, 7],
  ])
})

const titlesOf = (text: string) => read(text).entries.map(({ entry }) => entry.title)
const dated = (day: string, title: string) => `### 2026-04-${day}: ${title}\n**By:** Keaton\n**What:** Text.\n`

test.each([
  "# Squad Decisions\n\n**Last Updated:** 2026-04-09\n\nRead the index.\n",
  "# Team Decisions — Harbour\n\n**Date:** 2026-04-09\n\nText.\n",
  "# Decision Log (2026-04-09)\n\nText.\n",
  "# Harbour memory\n\n**Last updated:** 2026-04-09\n\nText.\n",
])("the title block of a file is not an entry: %j", (title) => {
  expect(titlesOf(`${title}\n${dated("01", "One")}`)).toEqual(["One"])
})

test("owners of a plan's parts neither start entries nor sign the plan", () => {
  const plan =
    "### 2026-04-01: Move house\n**What:** In two parts.\n\n## Phase 1: Pack\n**Owner:** Dallas\n**Status:** open\n\n## Boxes\n**Owner:** Kane\n"
  const { entries } = read(plan)
  expect(entries.map(({ entry, endLine }) => [entry.title, entry.author, endLine])).toEqual([
    ["Move house", "unknown", 9],
  ])
})

test("a stray fence ends at the next entry and is reported", () => {
  const { entries, diagnostics } = read(
    `${dated("01", "One")}\n\`\`\`\n\n${dated("02", "Two")}\n\`\`\`ts\ncode\n\`\`\`\n`,
  )
  expect(entries.map(({ entry }) => entry.title)).toEqual(["One", "Two"])
  expect(diagnostics.filter(({ code }) => code === "unclosed-fence").map(({ line }) => line)).toEqual([5])
  expect(titlesOf(`${dated("01", "One")}\n\`\`\`ts\ncode\n\n${dated("02", "Two")}\n\`\`\`ts\ncode\n\`\`\`\n`)).toEqual([
    "One",
    "Two",
  ])
})

test("an example of an entry in a fence stays an example", () => {
  expect(titlesOf(`${dated("01", "One")}\n\`\`\`markdown\n\n${dated("02", "Two")}\`\`\`\n`)).toEqual(["One"])
  expect(titlesOf(`${dated("01", "One")}\n\`\`\`\n${dated("02", "Two")}\`\`\`\n`)).toEqual(["One"])
})

test("text in an HTML comment is not an entry", () => {
  expect(titlesOf(`# Decisions\n<!-- Example:\n${dated("01", "One")}-->\n\n${dated("02", "Two")}`)).toEqual(["Two"])
  expect(titlesOf(`<!-- never closed\n${dated("01", "One")}<!-- closed -->\n`)).toEqual(["One"])
})

test("an unsigned entry takes no author from the entry above it, and the user's words belong to the user", () => {
  const above = "# Decision: One index\n**Author:** Keaton\n**Date:** 2026-04-01\n\nText.\n\n---\n\n"
  const authors = (text: string) => read(above + text).entries.map(({ entry }) => entry.author)
  expect(authors("### 2026-04-02: Two queues\n**What:** Text.\n")).toEqual(["Keaton", "unknown"])
  expect(authors("### 2026-04-02: User directive — Ship on Fridays\n**What:** Fenster ships via PR.\n")).toEqual([
    "Keaton",
    "User",
  ])
  expect(authors("### 2026-04-02: Ships\n**What:** Merged via PR to main.\n**Why:** User request\n")).toEqual([
    "Keaton",
    "User",
  ])
})

test.each([
  ["2026-07-06T09:31 PT", "2026-07-06T09:31:00-07:00"],
  ["2026-01-06 09:31 PT", "2026-01-06T09:31:00-08:00"],
  ["2026-01-06 09:31 CET", "2026-01-06T09:31:00+01:00"],
  ["2026-01-06 09:31 GMT", "2026-01-06T09:31:00+00:00"],
])("the time zone of %s is understood", (written, timestamp) => {
  const { entry, reading } = readLegacy(`### ${written} — Use one index\n**By:** Keaton\n\nText.\n`)
  expect([entry.title, entry.timestamp, reading.reasons]).toEqual(["Use one index", timestamp, []])
})

test("a time zone with two meanings is left for review", () => {
  const { entry, reading } = readLegacy("### 2026-01-06 09:31 IST — Use one index\n**By:** Keaton\n\nText.\n")
  expect([entry.title, reading.reasons]).toEqual(["Use one index", ["unknown time zone"]])
})

test.each([
  "**Owner:** Dallas or Kane (fix), Ripley (test)",
  "**Owner:** Bridge (direct run) — ✅ DONE",
  "**By:** TBD",
  "**By:** the whole team",
  "**By:** pushed and merged later",
])("%s names no author", (label) => {
  const { entry, reading } = readLegacy(`### 2026-04-01: Use one index\n${label}\n\nText.\n`)
  expect([entry.author, reading.reasons]).toEqual(["unknown", ["unknown author"]])
})

test("the name before a heading signs it, and a name in mid-sentence signs nothing", () => {
  const author = (text: string) => readLegacy(text).entry.author
  expect(author("### 2026-04-01: Fenster: Keaton review fixes\n**What:** Text.\n")).toBe("Fenster")
  expect(author("### 2026-04-01: One model\n**What:** Every member, Fenster too, runs one model.\n")).toBe("unknown")
  expect(author("### 2026-04-01: One model\n\nAll run one model (Fenster).\n")).toBe("Fenster")
})

test("work items and the sections of a decision stay part of it", () => {
  const plan =
    "## 2026-04-01: Themes\n**By:** Keaton\n\n### WI-5: Tests\n**Agent:** Fenster\n**What:** Text.\n\n## Decision Rationale\nText.\n"
  expect(read(plan).entries.map(({ entry, endLine }) => [entry.title, endLine])).toEqual([["Themes", 9]])
})

test("the agent in front of the heading signs before who owns, requested or reviewed the work", () => {
  const [owned, requested] = read(
    "# Fenster — Log timestamps\n**Date:** 2026-03-01\n**Owner:** Ines\n\nText.\n\n# Hockney — Branch cleanup\n**Date:** 2026-03-02\n**Requested by:** Ines\n\nText.\n",
  ).entries
  expect([owned?.entry.author, owned?.entry.title]).toEqual(["Fenster", "Log timestamps"])
  expect([requested?.entry.author, requested?.entry.title]).toEqual(["Hockney", "Branch cleanup"])
})

test.each(["Decider", "Executed by", "Authored by", "Decision owner", "Decision made by"])(
  "%s names the author",
  (name) => {
    const text = `### 2026-03-01: Use one index\n**Requested by:** Ines\n**${name}:** Fenster\n\nText.\n`
    expect(readLegacy(text).entry.author).toBe("Fenster")
  },
)

test("a signature below the last section of a document does not make an entry of that section", () => {
  const text =
    "# Labels as commands\n\n## 7. Summary\n\nText.\n\n## 8. Next steps\n\n1. Decide.\n\n---\n\n**Author:** Fenster\n**Date:** 2026-03-07\n"
  expect(titles(text)).not.toContain("8. Next steps")
})

test("who a work item is assigned to or reviewed by does not tear it out of its report", () => {
  const text =
    "# Release check\n**By:** Keaton\n**Date:** 2026-03-07\n\n## Blockers\n\n### #247 — Install fails\n**Assignee:** Fenster (fixing)\n**Status:** In progress\n\n## 2. Lint rule\n**What:** A check.\n**Reviewer:** Hockney\n"
  expect(titles(text)).toEqual(["Release check"])
})

test("a name with its role behind the title is not part of the title", () => {
  expect(readLegacy("# 2026-03-01: Ledger contract — Keaton (Lead/Architect)\n\nText.\n").entry).toMatchObject({
    author: "Keaton",
    title: "Ledger contract",
  })
})

test("a compact time is a date", () => {
  const { entry } = readLegacy("### 20260401T101500Z: One model\n**By:** Keaton\n\nText.\n")
  expect([entry.title, entry.timestamp]).toEqual(["One model", "2026-04-01T10:15:00+00:00"])
})

test("a section headed Rationale comes before a label Context", () => {
  const { entry } = readLegacy(
    `# Decision: One index\n${byAndDate}\n**Context:** Issue #7\n\n## Decision\nUse it.\n\n## Rationale\nIt is faster.\n`,
  )
  expect([entry.rationale, entry.summary]).toEqual(["It is faster.", "Use it."])
})

test("the summary is the decision, not the text around it", () => {
  const summary = (body: string) => readLegacy(`### 2026-04-01: One index\n${by}\n\n${body}`).entry.summary
  expect(summary("**Not chosen:** Two indexes, which would have to be kept in step.\n")).toBe("One index")
  expect(summary("**Affects:** everyone who has ever opened the search page\n**Decision:** Build one.\n")).toBe(
    "Build one.",
  )
  expect(summary("#### Alternatives considered\nTwo indexes.\n\n#### Plan\nBuild one first.\n")).toBe(
    "Build one first.",
  )
})

test.each([
  [
    "**Source evidence:**\n- `src/index.ts:12` holds one index\n\n**Plan:**\n- Build one index first\n",
    "Build one index first",
  ],
  ["**Before:**\n> Two indexes.\n\n**After:**\n> One index.\n", "One index."],
  ["- [notes](./inbox/notes.md)\n- `src/index.ts` line 25: `index`\n- Build one first\n", "Build one first"],
  ["Does one index do?\n\nOne index does.\n", "One index does."],
  ["**Rule:** Build one.\n", "Build one."],
  ["**Feeds:** the plan of the team for the next two months.\n\nBuild one.\n", "Build one."],
  [
    "#### Decision\n- **Storage:** one table keeps what both indexes kept.\n",
    "one table keeps what both indexes kept.",
  ],
  ["**What:** Build one\nindex first. Then search.\n", "Build one index first."],
  ["**What:** Run `az ... show` first. Then stop.\n", "Run az ... show first."],
  ["**Decisions:**\n\n#### 1. Use bUnit\n**Rationale:** standard.\n", "Use bUnit"],
  [
    "#### Key decisions\n\n##### D1: The index is built by one process\nText of it.\n",
    "The index is built by one process",
  ],
  ["#### Decisions\n\n##### 1. Error scope\nAn error replaces the list.\n", "An error replaces the list."],
  ["#### Alternatives\nTwo.\n\n#### Decision 1: Build one index\n\n**Notes:**\n- Two were slow\n", "Build one index"],
])("the summary of %j states what was decided", (body, summary) => {
  expect(readLegacy(`### 2026-04-01: Index plan\n${by}\n\n${body}`).entry.summary).toBe(summary)
})

test("a dated section that continues the numbers of a document is part of it", () => {
  const text = [
    "# Token handling\n\n**Author:** Keaton\n**Date:** 2026-03-01\n\n## 1. At rest\nFernet.\n\n## 2. In transit\nTLS.\n",
    "## 3. Review — 2026-03-09\n**Reviewer:** Mira\nPassed.\n",
    "## 5. Another matter (2026-03-10)\n**By:** Mira\nText.\n",
  ].join("\n")
  const { entries } = readEntries(text, { kind: "decisions" })
  expect(entries.map(({ entry }) => entry.title)).toEqual(["Token handling", "5. Another matter"])
})

// Nothing is lost

const wordy = fc.integer({ min: 0, max: 9999 }).map((number) => `w${number}q`)
const words = fc.array(wordy, { minLength: 1, maxLength: 4 }).map((list) => list.join(" "))
const name = fc.integer({ min: 0, max: 9999 }).map((number) => `Name${number}`)
const headings = fc.tuple(fc.constantFrom("#", "##", "###"), words, fc.nat(10)).map(([level, title, style]) => {
  const styled = [
    `2026-03-01: ${title}`,
    `2026-03-01 — ${title}`,
    `[2026-03-01] ${title}`,
    `2026-03-01T10:00:00Z ${title}`,
    `${title} (2026-03-01)`,
    `${title} — 2026-03-01`,
    `Decision: ${title} (2026-03-01)`,
    `2026-03-01: Keaton — ${title}`,
    `2026-03-01: User directive — ${title}`,
    `✅ 2026-03-01: ADR-7: ${title} (${title.split(" ")[0]})`,
    `2026-03-01/02: ${title}`,
  ]
  return `${level} ${styled[style]}`
})
const labelled = fc
  .tuple(
    fc.constantFrom(
      ...[
        "By",
        "Author",
        "Owner",
        "Requested by",
        "Reviewer",
        "What",
        "Decision",
        "Summary",
        "Why",
        "Context",
        "Reason",
      ],
      ...["Status", "Scope", "Tags", "Area", "Issue", "PR", "Related", "Branch", "Impact", "Risk", "Type", "Updated"],
    ),
    fc.constantFrom(
      "**L:** V",
      "**L**: V",
      "__L:__ V",
      "- **L:** V",
      "> **L:** V",
      "L: V",
      "| **L** | V |",
      "**L:**\nV",
      "**L:**\n\n- V\n- V",
      "**L:** V (V)",
    ),
    words,
    name,
    fc.boolean(),
  )
  .map(([label, form, text, person, isName]) =>
    form.replaceAll("L", label).replaceAll("V", isName ? `${person} (${text})` : text),
  )
const block = fc.oneof(
  { weight: 4, arbitrary: labelled },
  words,
  words.map((text) => `${text}. ${text}!`),
  fc
    .tuple(name, words)
    .map(
      ([person, text]) =>
        `**By:** ${person}, ${person}b & ${person}c (${text}) | **Status:** ${text} · **Date:** 2026-03-02`,
    ),
  fc
    .tuple(
      fc.constantFrom("#", "##", "###", "####"),
      fc.constantFrom("Context", "Decision", "Rationale", "Options", "P0"),
      words,
    )
    .map(([level, title, text]) => `${level} ${title}\n\n${text}`),
  words.map((text) => `#### ${text}`),
  words.map((text) => `\`\`\`js\n${text}\n**By:** ${text}\n\`\`\``),
  words.map((text) => `- ${text}\n  - ${text}x\n1. ${text}y`),
  words.map((text) => `| ${text} | b |\n|---|---|\n| c | ${text}z |`),
  words.map((text) => `> ${text}`),
  words.map((text) => `<!-- ${text} -->`),
  words.map((text) => `[${text}](https://example.org/${text.replaceAll(" ", "/")})`),
  fc.constantFrom("---", "***", ""),
)
const source = fc
  .tuple(headings, fc.array(fc.tuple(block, fc.constantFrom("\n", "\n\n")), { maxLength: 8 }))
  .map(([heading, blocks]) => `${heading}\n${blocks.map(([text, gap]) => text + gap).join("")}`)

test("no word of a legacy entry is lost", () => {
  fc.assert(
    fc.property(source, fc.constantFrom("decisions", "inbox", "archive", "history"), (text, kind) => {
      const context = {
        kind: kind as ReadContext["kind"],
        fileName: "x.md",
        agent: kind === "history" ? "keaton" : undefined,
      }
      const { entries, segments } = read(text, context)
      const others = segments.filter(({ entry }) => !entry).map((segment) => segment.text)
      const kept = new Set(
        [...entries.map(({ entry }) => writeEntry(entry)), ...others]
          .join("\n")
          .match(/\b(?:w\d+q[xyz]?|Name\d+[bc]?)\b/g),
      )
      const lost = (text.match(/\b(?:w\d+q[xyz]?|Name\d+[bc]?)\b/g) ?? []).filter((word) => !kept.has(word))
      expect(lost).toEqual([])
    }),
    { numRuns },
  )
})

test("a converted entry is read back as the same entry", () => {
  fc.assert(
    fc.property(source, (text) => {
      const entries = read(text).entries.map(({ entry }) => entry)
      expect(read(entries.map((entry) => writeEntry(entry)).join("\n")).entries.map(({ entry }) => entry)).toEqual(
        entries,
      )
    }),
    { numRuns: Math.ceil(numRuns / 5) },
  )
})

function read(text: string, context: Partial<ReadContext> = {}): EntriesFile {
  const file = readEntries(text, { kind: "decisions", roster, ...context })
  expect(file.segments.map((segment) => segment.text).join("")).toBe(text)
  return file
}

function readLegacy(text: string, context: Partial<ReadContext> = {}): ReadEntry & { format: "legacy" } {
  const { entries } = read(text, context)
  expect(entries.map(({ format }) => format)).toEqual(["legacy"])
  return entries[0] as ReadEntry & { format: "legacy" }
}

function titles(text: string): string[] {
  return read(text).entries.map(({ entry }) => entry.title)
}

function entryAt(entries: ReadEntry[], index: number): Entry {
  return (entries[index] as ReadEntry).entry
}

test.each(["From .squad/decisions/inbox/mira-queues.md", "Full report: `docs/queues/report.md`."])(
  "a pointer to a file is not the summary: %s",
  (pointer) => {
    const { entry } = readLegacy(`### 2026-03-01: Queues\n\n${pointer}\n\nEach team owns one queue.\n`)
    expect(entry.summary).toBe("Each team owns one queue.")
    expect(entry.details).toContain(pointer)
  },
)
