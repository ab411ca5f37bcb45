import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { noteTrouble } from "./note-trouble.ts"

test("an error is logged in one line, and the log keeps the newest lines within its limit", () => {
  const home = mkdtempSync(join(tmpdir(), "drey-log-"))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const path = join(home, "hook.log")
  noteTrouble(home, {}, "codex Stop", new Error("one\ntwo"))
  expect(readFileSync(path, "utf8")).toMatch(/^\d{4}-\d\d-\d\dT\S+ codex Stop: one two\n$/)
  for (let number = 0; number < 600; number++) noteTrouble(home, {}, "codex Stop", `${number} ${"x".repeat(2000)}`)
  expect(statSync(path).size).toBeLessThanOrEqual(256 * 1024)
  expect(readFileSync(path, "utf8").trimEnd().split("\n").at(-1)).toContain(" 599 ")
  expect(readFileSync(path, "utf8")).toMatch(/^\d{4}-/)
})

test("if the log cannot be written, nothing fails", () => {
  expect(() => noteTrouble("/dev/null/nowhere", {}, "codex Stop", "x")).not.toThrow()
})
