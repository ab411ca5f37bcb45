import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { openWatchLog } from "./watch-log.ts"

test("lines carry their time, and of megabytes only the newest two are kept, for the user alone", () => {
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
