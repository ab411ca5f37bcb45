import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { commandsIn, takeBlocks, wordsOf } from "./doc-blocks.ts"
import { makeRepository } from "./run-cli.ts"
import { warmCliIn } from "./warm-cli.ts"

test("the migration guide's commands preview, convert, ask and undo as described", async () => {
  const examples = takeBlocks("docs/formats.md", "markdown", 6)
  const [legacy = "", converted = ""] = examples.slice(-2)
  const [, question = ""] = takeBlocks("docs/formats.md", "json", 2)
  const cwd = makeRepository({
    ".squad/team.md": "# Team\n\n| Name | Role |\n|---|---|\n| Mira | Backend |\n| Otto-K | Web |\n",
    ".squad/decisions.md": legacy,
  })
  const { run } = warmCliIn(cwd)
  const decisions = () => readFileSync(join(cwd, ".squad/decisions.md"), "utf8")
  const [look, undo, ...more] = commandsIn(takeBlocks("docs/formats.md", "console", 2))
  expect(more).toEqual([])
  expect((await run(...wordsOf(look?.line ?? "").slice(1))).stdout).toBe(look?.printed)
  expect(decisions()).toBe(legacy)
  await run("convert-memory", "--dry-run", "--review-out", "review.json")
  const { entries } = JSON.parse(readFileSync(join(cwd, "review.json"), "utf8"))
  expect(entries).toEqual([JSON.parse(question)])
  const { stdout } = await run("convert-memory")
  const [, stamp = ""] = /^Backup written to \.squad\/backups\/convert-(\w+)\.$/m.exec(stdout) ?? []
  expect(`${decisions().trimEnd()}\n`).toBe(converted)
  const words = wordsOf(undo?.line ?? "").slice(1)
  expect((await run(...words.slice(0, -1), stamp)).stdout).toBe(undo?.printed)
  expect(decisions()).toBe(legacy)
})
