import { writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { expect, test } from "vitest"
import { editIn, makeSessions, readIn, writeIn } from "./test-sessions.ts"

test("everything Drey writes is valid, in every file", async () => {
  const { sessions, passTime } = makeSessions()
  const session = await sessions.start({ task: "Feed", agent: "developer" })
  await session.plan.set({ steps: [{ description: "Read" }, { description: "Convert" }] })
  const { attempt } = await session.startAttempt(undefined, { description: "Read by line" })
  await session.finishAttempt(attempt.id, { result: "failure", output: "no" })
  passTime(5 * 3_600_000)
  await session.addDiscovery("tester", { type: "failure_cause", content: "Quotes" })
  await session.addDecision("tester", { type: "workaround", description: "x", relatedAttempts: [attempt.id] })
  await session.addMessage({ role: "user", content: "Go" })
  await session.archive()
  await session.end()
  const { files, errors, warnings } = await sessions.validate()
  expect(files.length).toBeGreaterThanOrEqual(6)
  expect(files.flatMap(({ problems }) => problems)).toEqual([])
  expect({ errors, warnings }).toEqual({ errors: 0, warnings: 0 })
})

test("every file is checked whatever the others contain, and each problem has its position", async () => {
  const { sessions } = makeSessions()
  const session = await sessions.start({ task: "Feed", agent: "developer" })
  await session.plan.set({ steps: [{ description: "Read" }] })
  await session.addDiscovery("tester", { type: "data_model", content: "Cents" })
  writeIn(session, "metadata.yaml", "task: [\n")
  editIn(session, "agent-memory.yaml", (text) => text.replace("currentPlanStep: 1", "currentPlanStep: 2"))
  const token = ["ghp", "16C7e42F292c6912E7710c838347Ae178B4a"].join("_")
  editIn(session, "context.yaml", (text) => `${text}note: ${token}\n`)
  editIn(session, "agent-memory.tester.yaml", (text) => text.replace('version: "1"', 'version: "3"'))
  const { files, errors } = await sessions.validate([session.folder])
  const found = new Map(
    files.map(({ path, problems, unreadable }) => [path.slice(session.folder.length + 1), { problems, unreadable }]),
  )
  expect(found.get("metadata.yaml")?.problems[0]).toMatchObject({ severity: "error", code: "syntax" })
  expect(found.get("agent-memory.yaml")?.problems).toMatchObject([
    { severity: "warning", code: "plan-mismatch", path: "context.currentPlanStep" },
  ])
  expect(found.get("context.yaml")?.problems).toMatchObject([{ severity: "warning", code: "secret" }])
  expect(JSON.stringify(files)).not.toContain(token)
  expect(found.get("agent-memory.tester.yaml")).toMatchObject({ unreadable: true })
  expect(errors).toBe(2)
})

test("a missing file is unreadable", async () => {
  const { sessions } = makeSessions()
  const { files } = await sessions.validate([join(sessions.folder, "none.yaml")])
  expect(files).toMatchObject([
    { unreadable: true, problems: [{ message: expect.stringContaining("does not exist") }] },
  ])
})

test("a file beside it that is not text is reported separately, and stops nothing", async () => {
  const { sessions } = makeSessions()
  const session = await sessions.start({ task: "Feed", agent: "developer" })
  await session.plan.set({ steps: [{ description: "Read" }] })
  await session.addDiscovery("tester", { type: "data_model", content: "Cents" })
  for (const name of ["agent-memory.tester.yaml", "plan.yaml"])
    writeFileSync(join(session.folder, name), Buffer.from("\ufeffversion: 1", "utf16le"))
  const { files, errors } = await sessions.validate()
  const wrong = files.filter(({ problems }) => problems.length > 0).map(({ path }) => basename(path))
  expect(wrong).toEqual(["agent-memory.tester.yaml", "plan.yaml"])
  expect(errors).toBe(2)
})

test("an id with different entries in the file and the archive is an error, a copy is not", async () => {
  const { sessions } = makeSessions()
  const session = await sessions.start({ task: "Feed", agent: "developer" })
  await session.addDiscovery(undefined, { type: "data_model", content: "Cents" })
  await session.addDiscovery(undefined, { type: "data_model", content: "Rows" })
  const live = readIn(session, "agent-memory.yaml")
  const problemsWith = async (archive: string) => {
    writeIn(session, "agent-memory-archive.yaml", archive)
    return (await sessions.validate()).files.flatMap(({ problems }) => problems)
  }
  expect(await problemsWith(live)).toEqual([])
  expect(await problemsWith(live.replace("Cents", "Euros"))).toMatchObject([{ severity: "warning" }])
  const [, moment = ""] = /timestamp: "(.*)"/.exec(live) ?? []
  expect(await problemsWith(live.replace(`timestamp: "${moment}"`, 'timestamp: "2026-01-23T10:59:00.000Z"'))).toEqual([
    expect.objectContaining({ severity: "error", code: "duplicate-id", path: "discoveries[0].id" }),
  ])
})
