import { expect, test } from "vitest"
import type { Sessions } from "./session-api.ts"
import { editIn, makeSessions, readIn, writeIn } from "./test-sessions.ts"

async function listed(sessions: Sessions) {
  const [session] = await sessions.list()
  return session?.kind === "readable" ? session.metadata : undefined
}

test("entries added to or removed from a file by hand count with the agent's next write", async () => {
  const { sessions } = makeSessions()
  const session = await sessions.start({ task: "Feed", agent: "developer" })
  await session.startAttempt("developer", { description: "Read by line" })
  await session.finishAttempt("attempt-001", { result: "success", tokensUsed: { input: 7, output: 3 } })
  editIn(session, "agent-memory.yaml", (text) => text.replace('result: "success"', 'result: "failure"'))
  editIn(session, "agent-memory.yaml", (text) => text.replace("input: 7", "input: 70"))
  await session.addDiscovery("developer", { type: "data_model", content: "Cents" })
  expect(await listed(sessions)).toMatchObject({ counts: { attempts: 1, failures: 1 }, tokens: { input: 70 } })
  editIn(session, "agent-memory.yaml", (text) => text.replace(/^attempts:\n(?: .*\n)+/m, "attempts: []\n"))
  await session.addDiscovery("developer", { type: "data_model", content: "Rows" })
  const metadata = await listed(sessions)
  expect(metadata?.counts).toEqual({ discoveries: 2, attempts: 0, decisions: 0, failures: 0 })
  expect(metadata?.counts).toEqual((await session.metadata()).counts)
})

test("archived entries still count", async () => {
  const { sessions, passTime } = makeSessions()
  const session = await sessions.start({ task: "Feed", agent: "developer" })
  for (const content of ["Cents", "Rows"]) {
    await session.addDiscovery("developer", { type: "data_model", content })
    passTime(5 * 3_600_000)
  }
  await session.addDiscovery("developer", { type: "data_model", content: "Commas" })
  expect(readIn(session, "agent-memory-archive.yaml")).toContain("Cents")
  expect(await listed(sessions)).toMatchObject({ counts: { discoveries: 3 } })
  expect((await session.metadata()).counts.discoveries).toBe(3)
})

test("metadata without the counted state is derived again", async () => {
  const { sessions } = makeSessions()
  const session = await sessions.start({ task: "Feed", agent: "developer" })
  await session.addDiscovery("developer", { type: "data_model", content: "Cents" })
  editIn(session, "metadata.yaml", (text) =>
    text.replace(/^live:\n(?: .*\n)+/m, "").replace("discoveries: 1", "discoveries: 9"),
  )
  expect(readIn(session, "metadata.yaml")).not.toContain("live:")
  await session.addDiscovery("developer", { type: "data_model", content: "Rows" })
  expect(await listed(sessions)).toMatchObject({ counts: { discoveries: 2 } })
})

test("a new session records its size", async () => {
  const { sessions } = makeSessions()
  const session = await sessions.start({ task: "Feed", agent: "developer" })
  expect((await listed(sessions))?.sizeBytes).toBe((await session.metadata()).sizeBytes)
  expect((await session.metadata()).sizeBytes).toBeGreaterThan(100)
})

test("an agent whose file was unreadable for a while is counted again when it writes", async () => {
  const { sessions } = makeSessions()
  const session = await sessions.start({ task: "Feed", agent: "developer" })
  await session.addDiscovery("tester", { type: "data_model", content: "Cents" })
  const mended = readIn(session, "agent-memory.tester.yaml")
  writeIn(session, "agent-memory.tester.yaml", "{")
  await session.archive()
  writeIn(session, "agent-memory.tester.yaml", mended)
  await session.addDiscovery("tester", { type: "data_model", content: "Rows" })
  expect(await listed(sessions)).toMatchObject({ counts: { discoveries: 2 }, agents: ["developer", "tester"] })
})
