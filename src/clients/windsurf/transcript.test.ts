import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { makeRepository } from "../../../test/run-cli.ts"
import { story, testClient } from "../transcripts/client-contract.ts"
import { contextText, findIn, readBatches, readEvents, writeTo } from "../transcripts/test-reading.ts"
import { windsurf } from "./transcript.ts"

type Step = Record<string, unknown>

const step = (type: string, content: Step): Step => ({ status: "done", type, [type]: content })
const said = (text: string) => step("user_input", { rules_applied: { always_on: ["team.md"] }, user_response: text })
const answered = (text: string) => step("planner_response", { response: text })
const linesOf = (steps: Step[]) => steps.map((each) => `${JSON.stringify(each)}\n`).join("")

const storySteps = [
  said(`${story.said[0]}\n\n${contextText}`),
  answered("I run the tests."),
  step("run_command", { command: story.command, cwd: "/work/dates", output: "Tests: 1 failed", exit_code: 1 }),
  step("mcp_tool", { server_name: "drey", tool_name: "memory_search", arguments: "{}", result: story.canary }),
  step("code_action", { path: `/work/dates/${story.file}`, new_content: "export const week = 1\n" }),
  said(`${story.said[1]} <private>${story.canary}</private>`),
  step("run_command", { command: story.command, output: "Tests: 9 passed", exit_code: 0 }),
  answered(`Done. [${story.cite}] helped.`),
]

testClient(windsurf, {
  install: (home) => writeTo(pathIn(home), linesOf(storySteps)),
  lacks: ["times"],
})

test("only the hook's files are searched, not the encrypted stores", () => {
  const home = makeRepository({})
  mkdirSync(join(home, ".codeium", "windsurf", "cascade"), { recursive: true })
  writeTo(join(home, ".codeium", "windsurf", "cascade", "c.pb"), "\u0001\u0002")
  writeTo(join(home, ".config", "Windsurf", "User", "workspaceStorage", "1", "state.vscdb"), "SQLite format 3\0")
  expect(findIn(windsurf, home)).toEqual([])
})

test("a rewritten transcript gives earlier events the same ids", async () => {
  const home = makeRepository({})
  writeTo(pathIn(home), linesOf(storySteps.slice(0, 4)))
  const [transcript] = findIn(windsurf, home)
  const before = await readEvents(windsurf, transcript)
  writeTo(pathIn(home), linesOf([step("memory", { note: "put before all others" }), ...storySteps]))
  const after = (await readEvents(windsurf, transcript)).map(({ id }) => id)
  expect(before.length).toBeGreaterThan(0)
  for (const { id } of before) expect(after).toContain(id)
})

test("the same text sent twice is two events", async () => {
  const home = makeRepository({})
  writeTo(pathIn(home), linesOf([said("continue"), said("continue")]))
  const ids = (await readEvents(windsurf, findIn(windsurf, home)[0])).map(({ id }) => id)
  expect(new Set(ids).size).toBe(2)
})

test("an unfinished answer is read later", async () => {
  const home = makeRepository({})
  writeTo(pathIn(home), linesOf([said("Go"), { ...answered("Half an ans"), status: "running" }]))
  expect((await readEvents(windsurf, findIn(windsurf, home)[0])).map(({ text }) => text)).toEqual(["Go"])
})

test("the folder comes from the first file with an absolute path", async () => {
  const home = makeRepository({})
  writeTo(pathIn(home), linesOf([said("Go"), step("code_action", { path: "/work/dates/src/a.ts" })]))
  expect(await readEvents(windsurf, findIn(windsurf, home)[0])).toMatchObject([
    { cwd: "/work/dates/src" },
    { cwd: "/work/dates/src", action: "edit" },
  ])
})

test("lines that are not steps are counted", async () => {
  const home = makeRepository({})
  writeTo(pathIn(home), `${linesOf([said("Go")])}{"broken\n{"type":"mystery"}\n`)
  const [batch] = await readBatches(windsurf, findIn(windsurf, home)[0])
  expect(batch).toMatchObject({ records: 3, unknown: { unreadable: 1, mystery: 1 }, events: [{ text: "Go" }] })
})

function pathIn(home: string): string {
  return join(home, ".windsurf", "transcripts", "3f0c7a52-9d1e-4b8a-8a53-5b1f6c0d2e11.jsonl")
}
