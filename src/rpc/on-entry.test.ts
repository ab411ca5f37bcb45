import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { makeRepository } from "../../test/run-cli.ts"
import type { ChangeEvent } from "../learning/change-feed.ts"
import { openOnEntry } from "./on-entry.ts"

const entry = (title: string): ChangeEvent => {
  const at = "2026-03-01T10:00:00.000Z"
  return {
    event: "appeared",
    what: "entry",
    type: "decision",
    id: "sem-1",
    project: "p",
    title,
    status: "decisions",
    at,
  }
}

function open(command: string[]) {
  const warnings: string[] = []
  const hook = openOnEntry({ command, environment: process.env, warn: (text) => void warnings.push(text) })
  return { hook, warnings }
}

test("the command gets each entry as JSON, in order, and no shell reads its title", async () => {
  const out = join(makeRepository({}), "out")
  const append = `process.stdin.on("data", (text) => require("fs").appendFileSync(${JSON.stringify(out)}, text))`
  const { hook, warnings } = open([process.execPath, "-e", append])
  hook.tell(entry("First"))
  hook.tell(entry(`$(touch ${out}-shell)`))
  await hook.end()
  const titles = readFileSync(out, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).title)
  expect(titles).toEqual(["First", `$(touch ${out}-shell)`])
  expect(existsSync(`${out}-shell`)).toBe(false)
  expect(warnings).toEqual([])
})

test.each([
  [["/no/such/program"], "hooks.onEntry: spawn /no/such/program ENOENT"],
  [[process.execPath, "-e", "process.exit(3)"], `hooks.onEntry: ${process.execPath} ended with code 3`],
])("%j is reported once, and the next entry is tried", async (command, warning) => {
  const { hook, warnings } = open(command)
  hook.tell(entry("First"))
  hook.tell(entry("Second"))
  await hook.end()
  expect(warnings).toEqual([warning])
})

test("a flood of entries does not start a flood of processes", async () => {
  const { hook, warnings } = open(["/no/such/program"])
  for (let number = 0; number < 60; number++) hook.tell(entry(`Entry ${number}`))
  await hook.end()
  expect(warnings).toContain("hooks.onEntry: more than 50 entries at once; the others were left out")
})
