import { expect, test } from "vitest"
import { normalizeEntry } from "../../formats/entry-writer.ts"
import { derivedId } from "../../formats/ids.ts"
import { instantOf } from "../../formats/timestamp.ts"
import { placeProposals } from "./proposals.ts"

const clock = new Date("2026-11-15T12:00:00Z")

function proposalsAt(time: string, count: number) {
  return Array.from({ length: count }, (_, index) => {
    const entry = normalizeEntry({ type: "decision", timestamp: time, author: "wren", title: `Choice ${index}` })
    return { id: derivedId(entry), entry }
  })
}

function placed(time: string, count: number) {
  return placeProposals(proposalsAt(time, count), [], clock).flatMap((placement) =>
    placement.kind === "new" ? [placement] : [],
  )
}

test("entries of one second move forward, each to a separate second", () => {
  const seconds = placed("2026-11-15T12:00:00+00:00", 50).map(({ entry }) => instantOf(entry.timestamp))
  expect(new Set(seconds).size).toBe(50)
  expect(Math.max(...seconds)).toBe(clock.getTime() + 49_000)
})

test("no entry is dated more than a minute ahead of the clock; it keeps its second and states its id", () => {
  const entries = placed("2026-11-15T12:00:00+00:00", 800)
  expect(entries).toHaveLength(800)
  expect(new Set(entries.map(({ id }) => id)).size).toBe(800)
  const latest = Math.max(...entries.map(({ entry }) => instantOf(entry.timestamp)))
  expect(latest).toBe(clock.getTime() + 60_000)
  const crowded = entries.slice(61)
  expect(crowded.every(({ entry }) => instantOf(entry.timestamp) === clock.getTime())).toBe(true)
  expect(crowded.every(({ id, entry }) => entry.id === id)).toBe(true)
})

test("an entry of the past moves forward as far as needed", () => {
  const entries = placed("2026-01-05T12:00:00+00:00", 200)
  expect(new Set(entries.map(({ entry }) => entry.timestamp)).size).toBe(200)
})
