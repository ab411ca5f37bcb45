import { expect, test } from "vitest"
import { findGuards, locateTeam } from "../hooks/tool-guards.ts"
import { openTestCalls } from "./test-calls.ts"

test("a session is started, worked in and ended, and the next agent gets what happened in it", async () => {
  const { call } = openTestCalls()
  const begun = await call("session_record", { action: "start", text: "Add a login", agent: "developer" })
  const { session } = begun.data as { session: string }
  expect(begun.text).toBe(`Started session ${session} (developer)`)
  const discovery = await call("session_record", {
    action: "discover",
    text: "Middleware answers 401 and sets req.user",
    type: "code_pattern",
    level: "high",
    files: ["src/api.ts"],
  })
  expect(discovery).toEqual({
    text: `Recorded discovery-001 for developer in session ${session}`,
    data: { session, agent: "developer", id: "discovery-001" },
  })
  const attempt = { action: "attempt", text: "Log in with OAuth2", approach: "Google as the provider" }
  expect((await call("session_record", attempt)).text).toContain("Started attempt-001")
  const failed = { action: "finish", id: "attempt-001", result: "failure", error: "The scope is too broad" }
  expect((await call("session_record", failed)).text).toContain("Finished attempt-001: failure")
  const again = await call("session_record", { ...attempt, agent: "tester" })
  expect(again.text).toContain("⚠ similar to failed attempt-001 (developer): ")
  expect(again.data).toMatchObject({ similar: [expect.stringContaining("attempt-001")] })
  const decision = {
    action: "decide",
    text: "Sign tokens instead",
    reasoning: "No provider is needed",
    alternatives: ["OAuth2: its scope is too broad"],
    related: ["discovery-001", "attempt-001"],
    level: "medium",
  }
  expect((await call("session_record", decision)).text).toContain("Recorded decision-001")
  const context = { action: "context", set: { currentPlanStep: 2 }, add: { blockers: "The test database is down" } }
  expect((await call("session_record", context)).text).toContain("Updated the context")

  const prompt = (await call("session_recall", { agent: "developer", prompt: "You are the developer." })).text
  for (const part of [
    "You are the developer.",
    "Middleware answers 401",
    "Log in with OAuth2",
    "test database is down",
  ])
    expect(prompt).toContain(part)
  expect((await call("session_recall", { view: "arbiter" })).text).toContain("developer")
  const similar = { view: "similar", approach: "Log in with OAuth2", topic: "middleware 401" }
  const recalled = (await call("session_recall", similar)).text
  expect(recalled).toContain("attempt-001")
  expect(recalled).toContain("discovery-001")
  expect((await call("session_recall", { view: "list" })).text).toBe(`${session} [active] Add a login`)

  const ended = await call("session_record", { action: "end", text: "The login works", status: "complete" })
  expect(ended.text).toContain(`Ended session ${session}: complete`)
  expect((await call("session_recall", {})).isError).toBe(true)
})

test("missing arguments of an action are reported, and nothing is recorded", async () => {
  const { call } = openTestCalls()
  expect((await call("session_record", { action: "discover", text: "x" })).isError).toBe(true) // no session yet
  await call("session_record", { action: "start", text: "Add a login" })
  const problems = [
    [{ action: "start" }, 'start needs "text": the task'],
    [{ action: "discover" }, 'discover needs "text": the discovery'],
    [{ action: "discover", text: "x", level: "enormous" }, '"level" must be one of low, medium, high, critical'],
    [{ action: "finish" }, "finish needs the attempt's id and its result"],
    [{ action: "context", add: { blockers: 7 } }, '"blockers" must be a list of texts'],
    [{ action: "dance" }, '"action" must be one of start, discover'],
  ] as const
  for (const [given, problem] of problems) {
    const { text, isError } = await call("session_record", given)
    expect(text).toContain(problem)
    expect(isError).toBe(true)
  }
  expect((await call("session_recall", { view: "similar" })).text).toContain('similar needs "approach"')
  expect((await call("session_recall", {})).text).not.toContain("discovery-")
})

test("a session can be used without a team folder", async () => {
  const { call } = openTestCalls({ ".git/HEAD": "ref: refs/heads/main\n" })
  expect((await call("session_record", { action: "start", text: "Add a login" })).isError).toBeUndefined()
})

test("a command that failed in a session gives a warning at once, until the session ends", async () => {
  const { root, environment, call } = openTestCalls()
  const team = locateTeam(root, environment.DREY_HOME) ?? {
    root,
    home: environment.DREY_HOME,
    folders: [],
    folder: root,
  }
  const running = { tool: "Bash", command: "git lfs pull --include models", paths: [], text: undefined }
  const guards = () => findGuards(running, root, team, environment.DREY_HOME).guards
  await call("session_record", { action: "start", text: "Fetch the models" })
  await call("session_record", { action: "attempt", text: "Fetch them with `git lfs pull --include models`" })
  expect(guards()).toEqual([])
  await call("session_record", {
    action: "finish",
    id: "attempt-001",
    result: "failure",
    error: "The quota is used up",
  })
  expect(guards()).toMatchObject([{ source: "session" }])
  await call("session_record", { action: "end", status: "failed" })
  expect(guards()).toEqual([])
})
