import { expect, test } from "vitest"
import { learningPlace, say } from "./learning-place.ts"
import { startMcp } from "./mcp-server.ts"

const task = "Install the packages of the invoice table with npm or pnpm"

test("what was learned reaches an agent through MCP, counts once in a session, and is judged by its handle", async () => {
  const it = learningPlace()
  say(it, "no, we always use pnpm in this repository, never npm")
  await it.run("ingest")
  await it.run("flush")
  const server = startMcp(it.root, { env: { ...it.env, CLAUDE_CODE_SESSION_ID: "session-1" } })
  await server.begin()
  const { text } = await server.call("get_task_context", { task })
  const [, taskId = "", handle = ""] = /<drey-context task="(t-\w+)">[\s\S]*\[(m:\w{6})\]/.exec(text) ?? []
  expect(text).toContain("pnpm")
  await server.call("get_task_context", { task })
  await it.run("status") // takes in what was noted
  expect(it.rows("SELECT session_id FROM tasks")).toEqual([{ session_id: "session-1" }])
  expect(it.rows("SELECT count(*) AS uses FROM memory_uses WHERE injected")).toEqual([{ uses: 1 }])

  const reported = await server.call("report_outcome", { outcome: "success", task: taskId, helped: [handle] })
  expect(reported.text).toBe("Recorded: success; 1 helped, 0 wrong.")
  expect(it.rows("SELECT outcome FROM memory_uses")).toEqual([{ outcome: "helped" }])
  expect(it.rows("SELECT outcome FROM tasks")).toEqual([{ outcome: "success" }])
  const unknown = await server.call("report_outcome", { outcome: "failure", wrong: ["m:ffffff"] })
  expect(unknown).toMatchObject({ isError: true, text: expect.stringContaining("Nothing was recorded") })
  expect(it.rows("SELECT outcome FROM tasks")).toEqual([{ outcome: "success" }])
  expect((await server.call("memory_search", { query: "pnpm source:learned" })).text).toContain("pnpm")
  expect(await server.end()).toBe(0)
})

test("a call that names its session counts in that one", async () => {
  const it = learningPlace()
  say(it, "no, we always use pnpm in this repository, never npm")
  await it.run("ingest")
  await it.run("flush")
  const server = startMcp(it.root, { env: it.env })
  await server.begin()
  for (const session_id of ["one", "two", "two"]) {
    const _meta = { "x-codex-turn-metadata": { session_id, turn_id: "1" } }
    await server.ask("tools/call", { name: "get_task_context", arguments: { task }, _meta })
  }
  await it.run("status") // takes in what was noted
  expect(it.rows("SELECT session_id FROM tasks ORDER BY session_id")).toEqual([
    { session_id: "one" },
    { session_id: "two" },
  ])
})
