import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { makeRepository, writeFiles } from "../../test/run-cli.ts"
import { teamFiles } from "../../test/team-store.ts"
import { openTestCalls } from "./test-calls.ts"

test("a task's context is returned as the text that an agent reads, and nothing if nothing is relevant", async () => {
  const { call } = openTestCalls(teamFiles)
  const { text, data } = await call("get_task_context", { task: "Renew the login token of a session" })
  expect(text).toMatch(/^<drey-context task="t-[0-9a-f]{12}">/)
  expect(text).toContain("Never push on Friday")
  expect(text).toContain("Log in with short tokens")
  expect(data).toBeUndefined()
  const empty = openTestCalls()
  expect((await empty.call("get_task_context", { task: "Renew the login token" })).text).toBe("Nothing relevant found.")
})

test("a budget that is too small for anything is not taken for an empty memory", async () => {
  const { call } = openTestCalls(teamFiles)
  const { text } = await call("get_task_context", { task: "Renew the login token of a session", budget: 50 })
  expect(text).toMatch(/^None of \d+ items fits into 50 tokens\. Ask again with a larger budget\.$/)
})

test("an agent gets its own history, whether it names itself or the server was started for it", async () => {
  const { call } = openTestCalls(teamFiles)
  const task = "Why does the scheduler drop jobs at midnight?"
  const own = "The scheduler drops jobs at midnight"
  expect((await call("get_task_context", { task })).text).not.toContain(own)
  expect((await call("get_task_context", { task, agent: "kane" })).text).toContain(own)
  expect((await call("get_task_context", { task }, { agent: "Kane" })).text).toContain(own)
})

test("an unusable file is reported after the context", async () => {
  const { call } = openTestCalls({
    ...teamFiles,
    ".squad/decisions/inbox/torn.md": "<<<<<<< HEAD\n### 2026-02-10: A\n=======\n### 2026-02-10: B\n>>>>>>> other\n",
  })
  const { text } = await call("get_task_context", { task: "login" })
  expect(text).toContain("Skipped: .squad/decisions/inbox/torn.md:1 has an unresolved merge conflict")
})

test("an empty task and a folder without a team are reported, with a hint", async () => {
  const { call } = openTestCalls({})
  expect((await call("get_task_context", { task: " " })).text).toMatch(/^The task is empty/)
  const { text, isError } = await call("get_task_context", { task: "login" })
  expect(isError).toBe(true)
  expect(text).toContain("has no .squad folder")
})

test("the project is the first folder with a team; one that gets its team later is found then", async () => {
  const { call, root } = openTestCalls({})
  const team = makeRepository(teamFiles)
  const folders = [join(root, "gone"), root, team]
  const login = { task: "Renew the login token" }
  expect((await call("get_task_context", login, { folders })).text).toContain("Log in with short tokens")
  mkdirSync(join(root, ".squad"))
  writeFiles(root, { ".squad/decisions.md": "### 2026-02-10: Renew the login token by hand\n**By:** Kane\n" })
  expect((await call("get_task_context", login, { folders })).text).toContain("by hand")
})

test("while the index is updated, the caller gets progress", async () => {
  const { call } = openTestCalls(teamFiles)
  const heard: [number, number][] = []
  const progress = (done: number, total: number) => void heard.push([done, total])
  await call("get_task_context", { task: "login" }, { progress })
  expect(heard.length).toBeGreaterThan(3)
  expect(heard.every(([done, total], at) => done >= at && done < total)).toBe(true)
})
