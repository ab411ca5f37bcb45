import { expect, test } from "vitest"
import type { AgentMemory } from "../formats/session/agent-memory.ts"
import { proposeGraduates } from "./graduation/session-graduation.ts"
import { nextId } from "./recorded-entries.ts"
import { makeSessions } from "./test-sessions.ts"

async function withTwoAgents() {
  const made = makeSessions()
  const session = await made.sessions.start({ task: "Feed", agent: "developer" })
  for (const agent of ["developer", "QA Lead"]) await session.startAttempt(agent, { description: `By ${agent}` })
  await session.addDiscovery("QA Lead", { type: "data_model", content: "Cents" })
  return { ...made, session }
}

test("an entry of another agent is named by agent and id, wherever an id is accepted", async () => {
  const { session, sessions, warnings } = await withTwoAgents()
  const decision = await session.addDecision("developer", {
    type: "skip",
    description: "Leave it",
    relatedAttempts: ["QA Lead/attempt-001"],
  })
  expect(decision.relatedAttempts).toEqual(["QA Lead/attempt-001"])
  const finished = await session.finishAttempt("QA Lead/attempt-001", { result: "failure" }, { agent: "developer" })
  expect(finished.description).toBe("By QA Lead")
  await session.updateAttempt("developer/attempt-001", { nextStep: "rows" })
  const { start, linked } = await session.trace("QA Lead/attempt-001")
  expect(start).toMatchObject({ agent: "QA Lead", entry: { result: "failure" } })
  expect(linked).toMatchObject([{ relation: "led to", found: { entry: { id: "decision-001" } } }])
  expect((await session.trace("decision-001")).linked[0]?.found.agent).toBe("QA Lead")
  expect(warnings).toEqual([])
  expect((await sessions.validate()).files.flatMap(({ problems }) => problems)).toEqual([])
})

test("a reference keeps its meaning when an entry with the same id is added", async () => {
  const { session, warnings } = await withTwoAgents()
  const decide = (...relatedDiscoveries: string[]) =>
    session.addDecision("developer", { type: "skip", description: "x", relatedDiscoveries })
  expect((await decide("discovery-001")).relatedDiscoveries).toEqual(["QA Lead/discovery-001"])
  await session.addDiscovery("developer", { type: "data_model", content: "Rows" })
  expect((await decide("discovery-001", "developer/discovery-001")).relatedDiscoveries).toEqual([
    "discovery-001",
    "discovery-001",
  ])
  expect((await session.trace("decision-001")).linked[0]?.found.agent).toBe("QA Lead")
  expect((await session.trace("decision-002")).linked[0]?.found.agent).toBe("developer")
  expect(warnings).toEqual([])
})

test("an id that several others have is kept, and reported with the names to choose from", async () => {
  const { session, warnings } = await withTwoAgents()
  await session.addDecision("reviewer", { type: "skip", description: "x", relatedAttempts: ["attempt-001"] })
  expect(warnings).toEqual([expect.stringContaining("developer/attempt-001 or QA Lead/attempt-001")])
  await expect(session.finishAttempt("attempt-001", { result: "success" })).rejects.toMatchObject({
    hint: "Name the agent: developer/attempt-001, or --agent developer.",
  })
  await expect(session.trace("attempt-001")).rejects.toThrow("developer, and another of QA Lead")
  await expect(session.finishAttempt("nobody/attempt-001", { result: "success" })).rejects.toMatchObject({
    hint: "In progress: developer/attempt-001, QA Lead/attempt-001.",
  })
})

test("the basis of another agent's decision counts as such beyond the session", async () => {
  const { sessions } = makeSessions()
  const session = await sessions.start({ task: "Feed", agent: "developer" })
  const content = "Readers in src/feed.ts return rows as lists of strings, never as maps."
  await session.addDiscovery("developer", { type: "code_pattern", importance: "high", content })
  const relatedDiscoveries = ["discovery-001"]
  await session.addDecision("tester", { type: "implementation", description: "Test by column", relatedDiscoveries })
  const graduates = proposeGraduates(await session.memories(), session.id)
  expect(graduates.map(({ id }) => id)).toEqual(["developer/discovery-001"])
})

function memoryWith(ids: string[], archived: string[] = []): AgentMemory {
  const head = { version: "1", schema: "agent-memory" as const, sessionId: "s", agent: "a", createdAt: "" }
  const attempts = ids.map((id) => ({ id }) as AgentMemory["attempts"][number])
  const history = [{ ids: archived } as AgentMemory["history"][number]]
  return { ...head, discoveries: [], attempts, decisions: [], history, context: undefined }
}

test.each([
  ["the first of its section", [], [], undefined, "attempt-001"],
  ["one more than the highest, not the first gap", ["attempt-001", "attempt-007"], [], undefined, "attempt-008"],
  ["ids of a person's own are passed over", ["attempt-oauth", "try-900"], [], undefined, "attempt-001"],
  ["what the history names is taken", ["attempt-002"], ["attempt-011"], undefined, "attempt-012"],
  ["what the archive holds is taken", [], [], "attempts:\n  - id: 'attempt-1203'\n", "attempt-1204"],
  ["in whatever style it is written", [], [], 'attempts: [{"id": "attempt-030"}]', "attempt-031"],
])("%s", (_, ids, archived, archive, expected) => {
  expect(nextId("attempts", memoryWith(ids, archived), archive)).toBe(expected)
})

test("messages are added one after the other", async () => {
  const { sessions } = makeSessions()
  const session = await sessions.start({ task: "Feed", agent: "developer" })
  expect(await session.messages()).toEqual([])
  await session.addMessage({ role: "user", content: "Read the feed" })
  await session.addMessage({ agent: "developer", role: "assistant", content: "Done", usage: { input: 3, output: 1 } })
  expect(await session.messages()).toMatchObject([
    { id: "message-001", role: "user", content: "Read the feed" },
    { id: "message-002", role: "assistant", agent: "developer", usage: { input: 3, output: 1 } },
  ])
})

test("a long message is kept in full, with placeholders for secrets", async () => {
  const { sessions } = makeSessions()
  const session = await sessions.start({ task: "Feed" })
  const secret = ["pass", "word=never-keep-this-9"].join("")
  const { content } = await session.addMessage({ role: "tool", content: `${"🦊 ran\n".repeat(20_000)}${secret}` })
  expect(content.startsWith("🦊 ran\n".repeat(20_000))).toBe(true)
  expect(content).not.toContain("never-keep-this")
  expect((await session.messages())[0]?.content).toBe(content)
})
