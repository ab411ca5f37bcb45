import { expect, test } from "vitest"
import { mergeAudit, mergeIndex } from "./merge-records.ts"

test("an index keeps the records of both sides, the newest of one that differs, and unknown keys", () => {
  const one = { id: "1", title: "One", updatedAt: "2026-02-01T00:00:00.000Z", note: "keep me" }
  const two = { id: "2", title: "Two", updatedAt: "2026-02-02T00:00:00.000Z" }
  const newer = { ...one, status: "deleted", updatedAt: "2026-02-03T00:00:00.000Z" }
  const merged = mergeIndex({ ours: JSON.stringify([one]), theirs: JSON.stringify([two, newer]) })
  expect(JSON.parse(merged)).toEqual([newer, two])
  expect(mergeIndex({ ours: JSON.stringify([newer]), theirs: JSON.stringify([one]) })).toBe(
    `${JSON.stringify([newer], null, 2)}\n`,
  )
})

test("an index that is not a list of records is not merged", () => {
  expect(() => mergeIndex({ ours: "[", theirs: "[]" })).toThrow("One side's index is not valid JSON")
  expect(() => mergeIndex({ ours: "{}", theirs: "[]" })).toThrow("One side's index is not a list of records")
})

test("an audit keeps every line of both sides once, by time, then writer and number", () => {
  const lines = [line("02", "a", 1), line("03", "a", 2), line("03", "b", 1), line("04", "b", 2)]
  const [one, two, three, four] = lines as [string, string, string, string]
  const merged = mergeAudit({ ours: `${one}\n${two}\n`, theirs: `${one}\r\n${three}\r\n${four}` })
  expect(merged).toBe(lines.map((each) => `${each}\n`).join(""))
})

test("a chain keeps its order although the clock went back, and a damaged line its position", () => {
  const ours = [line("05", "a", 1), line("02", "a", 2), "{torn"].join("\n")
  const merged = mergeAudit({ ours, theirs: line("03", "b", 1) })
  expect(merged.trimEnd().split("\n")).toEqual([line("03", "b", 1), line("05", "a", 1), line("02", "a", 2), "{torn"])
})

function line(day: string, writer: string, seq: number): string {
  return JSON.stringify({ timestamp: `2026-02-${day}T00:00:00.000Z`, action: "write", writer, seq })
}
