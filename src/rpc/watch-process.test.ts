import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test, vi } from "vitest"
import { DreyError } from "../errors.ts"
import type { ChangeEvent } from "../learning/change-feed.ts"
import { followChanges, openWatchLog } from "./watch-process.ts"

test("polls do not queue up behind a slow one", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
  onTestFinished(() => void vi.useRealTimers())
  let looks = 0
  let letGo: (() => void) | undefined
  const next = () => {
    looks++
    return new Promise<ChangeEvent[]>((resolve) => {
      letGo = () => resolve([])
    })
  }
  const following = followChanges({ next }, { pollMs: 10, onChange: () => {}, warn: () => {} })
  await vi.advanceTimersByTimeAsync(100)
  expect(looks).toBe(1)
  letGo?.()
  await vi.advanceTimersByTimeAsync(100)
  expect(looks).toBe(2)
  const ended = following.end()
  letGo?.()
  await vi.advanceTimersByTimeAsync(0)
  letGo?.()
  await ended
  expect(looks).toBe(3)
})

test("a repeated error is reported once, and again after it had gone away; a bug with its location", async () => {
  const told: string[] = []
  const outcomes = [
    new DreyError("no disk"),
    new DreyError("no disk"),
    [],
    new DreyError("no disk"),
    new TypeError("no name"),
  ]
  const feed = {
    async next() {
      const outcome = outcomes.shift() ?? []
      if (outcome instanceof Error) throw outcome
      return outcome
    },
  }
  const following = followChanges(feed, { pollMs: 1, onChange: undefined, warn: (message) => void told.push(message) })
  while (outcomes.length > 0) await following.look()
  expect(told).toEqual([
    "changes could not be read: no disk",
    "changes could not be read: no disk",
    expect.stringMatching(/^changes could not be read: TypeError: no name\n +at /),
  ])
})

test("log lines have their time, and only the newest two megabytes are kept, private to the user", () => {
  const folder = mkdtempSync(join(tmpdir(), "drey-log-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, "watch.log")
  const log = openWatchLog(path, () => new Date("2026-03-02T08:00:00Z"))
  log("first")
  expect(readFileSync(path, "utf8")).toBe("2026-03-02T08:00:00.000Z first\n")
  for (let line = 0; line < 5000; line++) log("x".repeat(1000))
  log("last")
  const [current, older] = [path, `${path}.1`]
  expect(readFileSync(current, "utf8")).toMatch(/ last\n$/)
  expect(readFileSync(older, "utf8")).not.toContain("first")
  for (const each of [current, older]) {
    expect(statSync(each).size).toBeLessThan(1.1 * 1024 * 1024)
    expect(statSync(each).mode & 0o777).toBe(0o600)
  }
})
