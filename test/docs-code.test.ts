import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { expect, test } from "vitest"
import { semEntry } from "./legacy-fixtures.ts"
import { makeRepository } from "./run-cli.ts"

const project = resolve(import.meta.dirname, "..")

test.each(["sdk.md", "sessions.md"])("the code of docs/%s prints what the page says", (name) => {
  const page = readFileSync(join(project, "docs", name), "utf8")
  const [, code = "", output = "none"] = /^```js\n([\s\S]*?)^```\n[^`]*^```text\n([\s\S]*?)^```$/m.exec(page) ?? []
  const library = JSON.stringify(join(project, "dist", "index.js"))
  const cwd = makeRepository({
    ".squad/decisions.md": semEntry("2026-02-03T09:00:00+0000", "decision", "Keep orders in PostgreSQL"),
    "run.mjs": code.replace('"drey"', library),
  })
  const env = { PATH: process.env.PATH ?? "", DREY_HOME: makeRepository({}) }
  expect(execFileSync(process.execPath, ["run.mjs"], { cwd, encoding: "utf8", env })).toBe(output)
})
