import { expect, test } from "vitest"
import type { Session } from "./session-api.ts"
import { categorizeError, cutBytes, cutCharacters } from "./session-state.ts"
import { makeSessions, readIn, writeIn } from "./test-sessions.ts"

async function attempt(session: Session, description = "Read by line"): Promise<string> {
  return (await session.startAttempt(undefined, { description })).attempt.id
}

test("an attempt that is finished again counts once, with its current result, and that is reported", async () => {
  const { sessions, warnings } = makeSessions()
  const session = await sessions.start({ task: "Feed", agent: "developer" })
  await attempt(session)
  await session.finishAttempt("attempt-001", { result: "failure", error: "no" })
  await session.finishAttempt("attempt-001", { result: "failure", error: "still no" })
  expect(await session.state()).toMatchObject({
    consecutiveFailures: 1,
    totalFailures: 1,
    lastError: { message: "still no" },
  })
  await session.finishAttempt("attempt-001", { result: "success" })
  expect(await session.state()).toMatchObject({ consecutiveFailures: 0, totalFailures: 0 })
  await session.finishAttempt("attempt-001", { result: "failure", error: "after all" })
  expect(await session.state()).toMatchObject({ consecutiveFailures: 1, totalFailures: 1 })
  expect(warnings).toEqual([
    "attempt-001 of developer had already ended as failure; its result is now failure",
    "attempt-001 of developer had already ended as failure; its result is now success",
    "attempt-001 of developer had already ended as success; its result is now failure",
  ])
})

test("a partial result neither counts as a failure nor resets consecutive failures", async () => {
  const { sessions } = makeSessions()
  const session = await sessions.start({ task: "Feed", agent: "developer" })
  await session.finishAttempt(await attempt(session), { result: "failure", error: "no" })
  await session.finishAttempt(await attempt(session), { result: "partial" })
  expect(await session.state()).toMatchObject({ consecutiveFailures: 1, totalFailures: 1 })
  await session.finishAttempt(await attempt(session), { result: "success" })
  expect(await session.state()).toMatchObject({ consecutiveFailures: 0, totalFailures: 1 })
})

test("the last error has its category and what can be done about it", async () => {
  const { sessions } = makeSessions()
  const session = await sessions.start({ task: "Feed", agent: "developer" })
  await attempt(session)
  const output = "downloading\nError: connect ETIMEDOUT 10.0.0.1:443\n"
  await session.finishAttempt("attempt-001", { result: "failure", output })
  expect((await session.state()).lastError).toMatchObject({
    category: "timeout",
    recoveryOptions: ["retry", "fallback", "abort"],
  })
})

test("the history has the newest hundred changes of state", async () => {
  const { sessions } = makeSessions()
  const session = await sessions.start({ task: "Feed", agent: "developer" })
  await attempt(session)
  await session.finishAttempt("attempt-001", { result: "success" })
  await session.updateState({ provider: "local" })
  expect((await session.state()).history).toEqual([
    { timestamp: expect.any(String), from: "idle", to: "executing", agent: "developer" },
    { timestamp: expect.any(String), from: "executing", to: "evaluating", agent: "developer" },
  ])
  for (let count = 0; count < 52; count++) {
    await session.updateState({ state: "selecting" })
    await session.updateState({ state: "idle" })
  }
  const { history } = await session.state()
  expect(history).toHaveLength(100)
  expect(history.at(-1)).toMatchObject({ from: "selecting", to: "idle" })
})

test("a second end keeps how the session ended, unless it says otherwise, and reports it", async () => {
  const { sessions, warnings } = makeSessions()
  const session = await sessions.start({ task: "Feed", agent: "developer" })
  const first = await session.end({ status: "failed", summary: "No sample" })
  expect(await session.end()).toMatchObject({ status: "failed", endedAt: first.endedAt, resultSummary: "No sample" })
  expect((await session.state()).state).toBe("failed")
  expect(await session.end({ status: "complete" })).toMatchObject({ status: "complete", endedAt: first.endedAt })
  expect(warnings).toEqual([
    "This session had already ended as failed",
    "This session had already ended as failed; now it counts as complete",
  ])
})

test("a session ends although its state cannot be read, and a plan of another version does not prevent it", async () => {
  const { sessions, warnings } = makeSessions()
  const session = await sessions.start({ task: "Feed", agent: "developer" })
  await session.plan.set({ steps: [{ description: "Read" }] })
  writeIn(session, "context.yaml", "state: [\n")
  writeIn(session, "plan.yaml", readIn(session, "plan.yaml").replace('version: "1"', 'version: "0"'))
  await attempt(session)
  expect(await session.end()).toMatchObject({ status: "complete", counts: { attempts: 1 } })
  expect(await sessions.list({ active: true })).toEqual([])
  expect(await session.plan.read()).toBeUndefined()
  expect((await session.export()).state).toBeUndefined()
  expect(readIn(session, "context.yaml")).toBe("state: [\n")
  expect(warnings).toContainEqual(expect.stringMatching(/plan\.yaml:\d+:\d+ .*not changed/))
  expect(warnings).toContainEqual(expect.stringMatching(/context\.yaml:\d+:\d+ /))
})

test("a progress over a hundred is refused, and one in words is kept", async () => {
  const { sessions } = makeSessions()
  const session = await sessions.start({ task: "Feed", agent: "developer" })
  const id = await attempt(session)
  for (const progress of ["140%", "101", "-5%", 140])
    await expect(session.updateAttempt(id, { progress })).rejects.toThrow("progress")
  for (const progress of ["100%", 60, "half of it"])
    expect((await session.updateAttempt(id, { progress })).progress).toBe(progress)
})

test.each([
  ["timeout", "npm ERR! network timeout at: https://registry.example.org"],
  ["timeout", "the build timed out after 600 s"],
  ["permission_error", "EACCES: permission denied, open '/etc/hosts'"],
  ["permission_error", "HTTP 403 Forbidden"],
  ["provider_error", "429 Too Many Requests: rate limit reached"],
  ["validation_error", "AssertionError: expected 3 to be 4"],
  ["validation_error", "src/feed.ts(3,1): error TS2345: Argument of type 'string'"],
  ["tool_failure", "sh: chromium: command not found"],
  ["tool_failure", "make exited with code 2"],
  ["unknown", "Quoted fields hold line breaks"],
])("%s: %s", (category, text) => {
  expect(categorizeError(text)).toBe(category)
})

test("a text within its limit is unchanged", () => {
  expect(cutCharacters("🦊🦊", 2)).toBe("🦊🦊")
  expect(cutBytes("🦊🦊", 8)).toBe("🦊🦊")
})

test.each([60, 61, 62, 63])("a text over %i bytes is cut between two characters, its mark within the limit", (most) => {
  const cut = cutBytes("🦊".repeat(50), most)
  expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(most)
  const [, kept = "", missing] = /^((?:🦊)+)\n\[… (\d+) more bytes\]$/u.exec(cut) ?? []
  expect(Buffer.byteLength(kept) + Number(missing)).toBe(200)
})
