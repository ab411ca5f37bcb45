import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { makeRepository } from "../test/run-cli.ts"
import { logChannels, openLog } from "./log.ts"

test.each([undefined, "", "recalls", "index,hook"])("a channel that DREY_LOG=%s does not name has no log", (named) => {
  expect(openLog("recall", { DREY_LOG: named })).toBeUndefined()
})

test("each named channel, or all of them, has a log", () => {
  expect(openLog("recall", { DREY_LOG: "index, recall" })).toBeDefined()
  for (const channel of logChannels) expect(openLog(channel, { DREY_LOG: "all" })).toBeDefined()
})

test("a step is one line: when, which process, channel, step, time since the last step, details", () => {
  const file = join(makeRepository({}), "log", "drey.log")
  const log = openLog("index", { DREY_LOG: "index", DREY_LOG_FILE: file })
  log?.("open", { path: "fast", file: "/a b/c.db", setAside: undefined })
  log?.("update", { written: 2, current: false, reason: "two\nlines" })
  const lines = readFileSync(file, "utf8").split("\n")
  expect(lines).toHaveLength(3)
  expect(lines[0]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z \d+ index open \d+\.\dms path=fast file="\/a b\/c\.db"$/)
  expect(lines[1]).toMatch(/ index update \d+\.\dms written=2 current=false reason="two\\nlines"$/)
})

test("a log file that is too long becomes the old one, so that there are never more than two", () => {
  const folder = makeRepository({ "drey.log": `${"x".repeat(1024 * 1024)}\n` })
  const file = join(folder, "drey.log")
  openLog("hook", { DREY_LOG: "hook", DREY_LOG_FILE: file })?.("event")
  expect(statSync(`${file}.old`).size).toBe(1024 * 1024 + 1)
  expect(readFileSync(file, "utf8")).toMatch(/ hook event /)
})

test("a log that cannot be written does not stop the work", () => {
  const folder = makeRepository({})
  writeFileSync(join(folder, "file"), "")
  const file = join(folder, "file", "drey.log")
  expect(() => openLog("hook", { DREY_LOG: "hook", DREY_LOG_FILE: file })?.("event")).not.toThrow()
  expect(existsSync(file)).toBe(false)
})
