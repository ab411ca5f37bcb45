import { expect, test } from "vitest"
import { readEntries } from "./entries.ts"
import type { Entry } from "./entry.ts"
import { type NewEntry, normalizeEntry, writeEntry } from "./entry-writer.ts"
import { assignIds } from "./ids.ts"
import { type Linkable, linkEntries, referenceResolver } from "./references.ts"

test("a timestamp in any spelling of the instant resolves to the one entry of that instant", () => {
  const entries = linkable(at("2026-02-10T09:15:00-08:00", "Old"), at("2026-02-11T09:15:00-08:00", "Other"))
  const resolve = referenceResolver(entries)
  for (const spelling of [
    "2026-02-10T09:15:00-0800",
    "2026-02-10T09:15:00-08:00",
    "2026-02-10T17:15:00Z",
    "2026-02-10T17:15Z",
    "2026-02-10T18:15:00+0100",
  ]) {
    expect(resolve(spelling)).toEqual({ kind: "found", id: entries[0]?.id })
  }
})

test("an id resolves to its entry, derived or stated", () => {
  const entries = linkable(at("2026-02-10T09:15:00Z", "Old"), at("2026-02-11T09:15:00Z", "Other", { id: "adr-7" }))
  const resolve = referenceResolver(entries)
  expect(entries[0]?.id).toMatch(/^sem-[0-9a-f]{12}$/)
  expect(resolve(entries[0]?.id ?? "")).toEqual({ kind: "found", id: entries[0]?.id })
  expect(resolve("adr-7")).toEqual({ kind: "found", id: "adr-7" })
})

test("an id comes before an instant", () => {
  const when = "2026-02-10T09:15:00+00:00"
  const resolve = referenceResolver(linkable(at(when, "By time"), at("2026-03-01T00:00:00Z", "By id", { id: when })))
  expect(resolve(when)).toEqual({ kind: "found", id: when })
})

test("a reference without a match is none, one with two matches is several", () => {
  const entries = linkable(at("2026-02-10T09:15:00Z", "One"), at("2026-02-10T10:15:00+01:00", "Two"))
  const resolve = referenceResolver(entries)
  expect(resolve("2026-02-12T00:00:00Z")).toEqual({ kind: "none" })
  expect(resolve("sem-000000000000")).toEqual({ kind: "none" })
  expect(resolve("")).toEqual({ kind: "none" })
  const several = resolve("2026-02-10T09:15:00Z")
  expect(several.kind === "several" && [...several.ids].sort()).toEqual(entries.map(({ id }) => id).sort())
  expect(resolve(entries[1]?.id ?? "")).toEqual({ kind: "found", id: entries[1]?.id })
})

test("copies of one entry are one target", () => {
  const entries = linkable(at("2026-02-10T09:15:00Z", "One"), at("2026-02-10T09:15:00Z", "One"))
  expect(referenceResolver(entries)("2026-02-10T09:15:00Z")).toEqual({ kind: "found", id: entries[0]?.id })
})

test("superseding by timestamp links both ways", () => {
  const [old, young] = pair({ supersedes: ["2026-02-10T17:15:00Z"] })
  const links = linkEntries([old, young])
  expect(links.supersedes).toEqual(new Map([[young.id, [old.id]]]))
  expect(links.supersededBy).toEqual(new Map([[old.id, [young.id]]]))
  expect(links.diagnostics).toEqual([])
})

test("superseding by id links both ways", () => {
  const [old] = pair({})
  const young = pair({ supersedes: [old.id] })[1]
  const links = linkEntries([old, young])
  expect(links.supersedes.get(young.id)).toEqual([old.id])
  expect(links.supersededBy.get(old.id)).toEqual([young.id])
})

test("one entry may supersede several and several may supersede one", () => {
  const entries = linkable(
    at("2026-01-01T00:00:00Z", "A", { id: "a" }),
    at("2026-01-02T00:00:00Z", "B", { id: "b" }),
    at("2026-01-03T00:00:00Z", "C", { id: "c", supersedes: ["a", "2026-01-02T00:00:00Z"] }),
    at("2026-01-04T00:00:00Z", "D", { id: "d", supersedes: ["a"] }),
  )
  const links = linkEntries(entries)
  expect(links.supersedes.get("c")).toEqual(["a", "b"])
  expect(links.supersededBy.get("a")).toEqual(["c", "d"])
  expect(links.supersededBy.get("b")).toEqual(["c"])
  expect(links.supersededBy.has("c")).toBe(false)
})

test("a stated reverse link is not counted twice", () => {
  const entries = linkable(
    at("2026-01-01T00:00:00Z", "A", { id: "a", supersededBy: ["b"] }),
    at("2026-01-02T00:00:00Z", "B", { id: "b", supersedes: ["a"] }),
  )
  const links = linkEntries(entries)
  expect(links.supersededBy.get("a")).toEqual(["b"])
  expect(links.supersedes.get("b")).toEqual(["a"])
  expect(links.diagnostics).toEqual([])
})

test("an ambiguous reference gives a warning and links nothing", () => {
  const when = "2026-02-10T09:15:00Z"
  const entries = linkable(at(when, "One"), at(when, "Two"), at("2026-02-11T00:00:00Z", "New", { supersedes: [when] }))
  const links = linkEntries(entries)
  expect(links.supersededBy.size).toBe(0)
  expect(links.supersedes.size).toBe(0)
  expect(reported(links)).toEqual([[entries[2]?.id, "ambiguous-reference", "warning", 3]])
})

test("a dangling reference gives a warning at its position", () => {
  const entries = linkable(
    at("2026-01-01T00:00:00Z", "A", { supersedes: ["2025-01-01T00:00:00Z"] }),
    at("2026-01-02T00:00:00Z", "B", { supersedes: ["sem-000000000000"] }),
    at("2026-01-03T00:00:00Z", "C", { related: [{ type: "decision", identifier: "2025-05-05T00:00:00-0800" }] }),
    at("2026-01-04T00:00:00Z", "D", { related: [{ type: "issue", identifier: "#12" }] }),
  )
  const links = linkEntries(entries)
  expect(reported(links)).toEqual([
    [entries[0]?.id, "dangling-reference", "warning", 1],
    [entries[1]?.id, "dangling-reference", "warning", 2],
    [entries[2]?.id, "dangling-reference", "warning", 3],
  ])
})

test("a related decision that exists is neither a supersession nor a problem", () => {
  const entries = linkable(
    at("2026-01-01T00:00:00Z", "A"),
    at("2026-01-03T00:00:00Z", "C", { related: [{ type: "decision", identifier: "2026-01-01T00:00:00+0000" }] }),
  )
  const links = linkEntries(entries)
  expect([links.diagnostics, links.supersededBy.size]).toEqual([[], 0])
})

test("an entry that supersedes itself is an error", () => {
  const links = linkEntries(linkable(at("2026-01-01T00:00:00Z", "A", { id: "a", supersedes: ["a"] })))
  expect(reported(links)).toEqual([["a", "cyclic-supersession", "error", 1]])
})

test("two entries that supersede each other are an error", () => {
  const entries = linkable(
    at("2026-01-01T00:00:00Z", "A", { id: "a", supersedes: ["2026-01-02T00:00:00Z"] }),
    at("2026-01-02T00:00:00Z", "B", { id: "b", supersedes: ["a"] }),
    at("2026-01-03T00:00:00Z", "C", { id: "c", supersedes: ["b"] }),
  )
  expect(reported(linkEntries(entries))).toEqual([
    ["a", "cyclic-supersession", "error", 1],
    ["b", "cyclic-supersession", "error", 2],
  ])
})

test("three entries that supersede each other in a ring are an error", () => {
  const entries = linkable(
    at("2026-01-01T00:00:00Z", "Before", { id: "before" }),
    at("2026-01-02T00:00:00Z", "A", { id: "a", supersedes: ["c", "before"] }),
    at("2026-01-03T00:00:00Z", "B", { id: "b", supersedes: ["a"] }),
    at("2026-01-04T00:00:00Z", "C", { id: "c", supersedes: ["b"] }),
    at("2026-01-05T00:00:00Z", "After", { id: "after", supersedes: ["c"] }),
  )
  const cyclic = reported(linkEntries(entries)).map(([id, code]) => [id, code])
  expect(cyclic).toEqual([
    ["a", "cyclic-supersession"],
    ["b", "cyclic-supersession"],
    ["c", "cyclic-supersession"],
  ])
})

test("two rings that share an entry are both found", () => {
  const entries = linkable(
    at("2026-01-01T00:00:00Z", "A", { id: "a", supersedes: ["b", "c"] }),
    at("2026-01-02T00:00:00Z", "B", { id: "b", supersedes: ["a"] }),
    at("2026-01-03T00:00:00Z", "C", { id: "c", supersedes: ["d"] }),
    at("2026-01-04T00:00:00Z", "D", { id: "d", supersedes: ["a"] }),
  )
  expect(reported(linkEntries(entries)).map(([id]) => id)).toEqual(["a", "b", "c", "d"])
})

test("a diamond is not a cycle", () => {
  const entries = linkable(
    at("2026-01-01T00:00:00Z", "A", { id: "a" }),
    at("2026-01-02T00:00:00Z", "B", { id: "b", supersedes: ["a"] }),
    at("2026-01-03T00:00:00Z", "C", { id: "c", supersedes: ["a"] }),
    at("2026-01-04T00:00:00Z", "D", { id: "d", supersedes: ["b", "c"] }),
  )
  expect(linkEntries(entries).diagnostics).toEqual([])
})

test("a chain of 20,000 entries is followed without overflow", () => {
  const entries: Linkable[] = Array.from({ length: 20_000 }, (_, index) => ({
    id: `e${index}`,
    line: index + 1,
    entry: at("2026-01-01T00:00:00Z", "A", { id: `e${index}`, supersedes: index > 0 ? [`e${index - 1}`] : [] }),
  }))
  const links = linkEntries(entries)
  expect(links.diagnostics).toEqual([])
  expect(links.supersededBy.get("e0")).toEqual(["e1"])
})

test("the references of a file are linked as it is read", () => {
  const old = at("2026-02-10T09:15:00-08:00", "Tabs")
  const young = at("2026-02-12T09:15:00-08:00", "Spaces", { supersedes: ["2026-02-10T09:15:00-0800"] })
  const { entries } = readEntries(`${writeEntry(old)}\n${writeEntry(young)}`, { kind: "decisions" })
  const links = linkEntries(entries)
  expect(links.supersededBy.get(entries[0]?.id ?? "")).toEqual([entries[1]?.id])
})

function at(timestamp: string, title: string, more: Partial<NewEntry> = {}): Entry {
  return normalizeEntry({
    type: "decision",
    timestamp: timestamp.replace(/Z$/, "+00:00"),
    author: "Keaton",
    title,
    ...more,
  })
}

function linkable(...entries: Entry[]): Linkable[] {
  const ids = assignIds(entries)
  return entries.map((entry, index) => ({ id: ids[index] ?? "", line: index + 1, entry }))
}

function pair(young: Partial<NewEntry>): [Linkable, Linkable] {
  const entries = linkable(at("2026-02-10T09:15:00-08:00", "Old"), at("2026-02-12T09:15:00-08:00", "Young", young))
  return entries as [Linkable, Linkable]
}

function reported({ diagnostics }: ReturnType<typeof linkEntries>) {
  return diagnostics.map(({ id, diagnostic }) => [id, diagnostic.code, diagnostic.severity, diagnostic.line])
}

test("a numbered decision is found by its number", () => {
  const { entries } = readEntries("## Decision 12: One index\n**By:** Keaton\n**Date:** 2026-04-01\n\nText.\n", {
    kind: "decisions",
  })
  const resolve = referenceResolver(entries)
  expect(entries[0]?.entry.title).toBe("Decision 12: One index")
  for (const name of ["Decision 12", "decision #12"])
    expect(resolve(name)).toEqual({ kind: "found", id: entries[0]?.id })
  expect(resolve("Decision 13")).toEqual({ kind: "none" })
})
