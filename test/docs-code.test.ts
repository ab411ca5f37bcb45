import { execFileSync } from "node:child_process"
import { join, resolve } from "node:path"
import { expect, test } from "vitest"
import { takeBlocks } from "./doc-blocks.ts"
import { semEntry } from "./legacy-fixtures.ts"
import { makeRepository } from "./run-cli.ts"

const project = resolve(import.meta.dirname, "..")

test.each([
  ["docs/sdk.md", takeBlocks("docs/sdk.md", "js", 1), takeBlocks("docs/sdk.md", "text", 1)],
  ["docs/sessions.md", takeBlocks("docs/sessions.md", "js", 1), takeBlocks("docs/sessions.md", "text", 1)],
])("the code of %s prints what the page says", (_, [code = ""], [output]) => {
  const library = JSON.stringify(join(project, "dist", "index.js"))
  const cwd = makeRepository({
    ".squad/decisions.md": semEntry("2026-02-03T09:00:00+0000", "decision", "Keep orders in PostgreSQL"),
    "run.mjs": code.replace('"drey"', library),
  })
  const env = { PATH: process.env.PATH ?? "", DREY_HOME: makeRepository({}) }
  expect(execFileSync(process.execPath, ["run.mjs"], { cwd, encoding: "utf8", env })).toBe(output)
})
