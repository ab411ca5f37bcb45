import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { createSample, moveDates, wrapLines } from "./demo-stage.ts"

test("a long line is broken at spaces and keeps its indentation", () => {
  expect(wrapLines("short\n  a line that is longer than that", 20)).toBe(
    "short\n  a line that is\n      longer than\n      that",
  )
})

test("a quotation is quoted on every line", () => {
  expect(wrapLines("> Never write a card number to a log.", 20)).toBe("> Never write a card\n> number to a log.")
})

test("text without spaces is not broken, and without a width nothing is", () => {
  const path = "/tmp/drey-demo-4f2a/home/.claude/projects/5d0c1f7e.jsonl"
  expect(wrapLines(path, 20)).toBe(path)
  expect(wrapLines("a line that is longer than that", undefined)).toBe("a line that is longer than that")
})

test("dates are shifted by whole days, in texts and in folder names", () => {
  expect(moveDates("2026-02-27T09:30:00Z, 2026-02-28.", 2)).toBe("2026-03-01T09:30:00Z, 2026-03-02.")
  expect(moveDates("sessions/2026/12/31/rollout-2026-12-31T08-00.jsonl", 1)).toBe(
    "sessions/2027/01/01/rollout-2027-01-01T08-00.jsonl",
  )
  expect(moveDates("12026-02-027 and 2026/02-27", 2)).toBe("12026-02-027 and 2026/02-27")
})

test("the sample looks as if its work had ended yesterday, in this folder", () => {
  const folder = mkdtempSync(join(tmpdir(), "drey-test-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const from = join(folder, "from")
  mkdirSync(join(from, "home"), { recursive: true })
  const record = { timestamp: "2026-03-05T08:10:00.000Z", cwd: "/home/ines/ferry-tickets" }
  writeFileSync(join(from, "home", "session-2026-03-05T08-10.jsonl"), JSON.stringify(record))

  const { root, home } = createSample(from, join(folder, "to"), Date.parse("2030-01-02T15:00:00Z"))
  expect(readdirSync(home)).toEqual(["session-2030-01-01T08-10.jsonl"])
  expect(JSON.parse(readFileSync(join(home, "session-2030-01-01T08-10.jsonl"), "utf8"))).toEqual({
    timestamp: "2030-01-01T08:10:00.000Z",
    cwd: root,
  })
})
