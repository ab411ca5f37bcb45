import { expect, test } from "vitest"
import { makeRepository } from "../../test/run-cli.ts"
import { readStore } from "./team-entries.ts"
import { findStore } from "./team-folder.ts"
import { computeStats, type TeamStats } from "./team-stats.ts"

const now = new Date("2026-02-18T12:00:00Z") // a Wednesday

test("decisions and entries are counted by the week they were made in", () => {
  const { weeks, decisionsPerWeek } = statsOf({
    "decisions.md": [
      sem("2026-02-16T00:00:00+0000", "decision", "Kane", "On Monday"),
      sem("2026-02-15T23:59:59+0000", "decision", "Kane", "On Sunday"),
      sem("2026-02-16T00:30:00+0100", "note", "Kane", "On Sunday too, in UTC"),
    ].join("\n"),
  })
  expect(weeks).toEqual([
    { week: "2026-W06", start: "2026-02-02", decisions: 0, entries: 0, total: 0 },
    { week: "2026-W07", start: "2026-02-09", decisions: 1, entries: 2, total: 2 },
    { week: "2026-W08", start: "2026-02-16", decisions: 1, entries: 1, total: 3 },
  ])
  expect(decisionsPerWeek).toBe(0.667)
})

test("the growth curve starts with the entries before the first week shown", () => {
  const { weeks } = statsOf({ "decisions.md": sem("2025-01-01T00:00:00+0000", "decision", "Kane", "Long ago") })
  expect(weeks.map(({ total }) => total)).toEqual([1, 1, 1])
})

test("the first days of January belong to the week their Thursday is in", () => {
  const weeks = computeStats([], 2, new Date("2027-01-03T12:00:00Z")).weeks.map(({ week }) => week)
  expect(weeks).toEqual(["2026-W52", "2026-W53"])
})

test("an author counts once however the name is written, and contributors are counted separately", () => {
  const { authors } = statsOf({
    "decisions.md": [
      sem("2026-02-16T10:00:00+0000", "decision", "Kane", "One", "**contributors:** Ripley  \n"),
      sem("2026-02-16T11:00:00+0000", "note", "kane", "Two"),
    ].join("\n"),
  })
  expect(authors).toEqual([
    { author: "Kane", entries: 2, decisions: 1, contributions: 0 },
    { author: "Ripley", entries: 0, decisions: 0, contributions: 1 },
  ])
})

test("scopes, types and sources are reported with their share", () => {
  const stats = statsOf({
    "decisions.md": sem("2026-02-16T10:00:00+0000", "decision", "Kane", "One"),
    "agents/kane/history.md": sem("2026-02-16T11:00:00+0000", "memory", "Kane", "Two"),
    "decisions-archive.md": [
      sem("2026-02-14T10:00:00+0000", "directive", "Ada", "Three"),
      sem("2026-02-14T11:00:00+0000", "note", "Ada", "Four"),
    ].join("\n"),
  })
  expect(stats.scopes).toContainEqual({ name: "team", entries: 3, ratio: 0.75 })
  expect(stats.scopes).toContainEqual({ name: "agent", entries: 1, ratio: 0.25 })
  expect(stats.types.map(({ name, entries }) => [name, entries])).toEqual([
    ["decision", 1],
    ["memory", 1],
    ["note", 1],
    ["directive", 1],
  ])
  expect(stats.sources.map(({ name, entries }) => [name, entries])).toEqual([
    ["decisions", 1],
    ["inbox", 0],
    ["archive", 2],
    ["history", 1],
  ])
})

test("entries without a date are counted and are in no week", () => {
  const stats = statsOf({
    "decisions.md": "# Decisions\n\n### Use tabs\n\n**By:** Kane\n\n**What:** Tabs everywhere.\n",
  })
  expect(stats).toMatchObject({ entries: 1, undated: 1 })
  expect(stats.weeks.every(({ total }) => total === 0)).toBe(true)
})

test("a heading inside a code fence is not an entry and is not counted", () => {
  const fenced = sem("2026-02-15T10:00:00+0000", "decision", "Kane", "Only an example")
  const entry = sem("2026-02-16T10:00:00+0000", "decision", "Kane", "Real", "", `\`\`\`markdown\n${fenced}\`\`\``)
  expect(statsOf({ "decisions.md": entry }).entries).toBe(1)
})

function statsOf(files: Record<string, string>): TeamStats {
  const root = makeRepository(Object.fromEntries(Object.entries(files).map(([path, text]) => [`.squad/${path}`, text])))
  return computeStats(readStore(findStore(root, `${root}/home`), now).entries, 3, now)
}

function sem(timestamp: string, type: string, author: string, title: string, fields = "", details = ""): string {
  const body = details === "" ? "" : `**details:**\n\n${details}\n\n`
  return `### ${timestamp}: ${type}: ${title}\n\n**type:** ${type}  \n**timestamp:** ${timestamp}  \n**author:** ${author}  \n${fields}\n**summary:** ${title}.\n\n${body}---\n`
}
