import { expect, test } from "vitest"
import { promptAgent } from "./agent-prompt.ts"
import { briefArbiter } from "./arbiter.ts"
import { makeSessions, readIn, writeIn } from "./test-sessions.ts"

/** A session with two agents, of which the tester's file cannot be read. */
async function withBrokenFile() {
  const made = makeSessions()
  const session = await made.sessions.start({ task: "Read the feed", agent: "developer" })
  await session.plan.set({ steps: [{ description: "Read" }, { description: "Convert" }] })
  await session.addDiscovery("tester", { type: "data_model", content: "Prices are cents" })
  await session.startAttempt("developer", { description: "Read by line" })
  await session.addDiscovery("developer", { type: "data_model", content: "Rows end in a comma" })
  writeIn(session, "agent-memory.tester.yaml", "attempts: [\n")
  return { ...made, session }
}

const told = expect.stringMatching(/agent-memory\.tester\.yaml:\d+:\d+ .*not changed/)

test("readers continue without an agent whose file is broken, and report its position once", async () => {
  const { session, warnings } = await withBrokenFile()
  expect([...(await session.memories({ archived: true })).keys()]).toEqual(["developer"])
  const { text } = await promptAgent(session, { agent: "developer", prompt: "You write code." })
  expect(text).toContain("Rows end in a comma")
  expect((await briefArbiter(session, {})).text).toContain("**developer**")
  expect((await session.export()).agents).toHaveLength(1)
  expect((await session.trace("discovery-001")).start.agent).toBe("developer")
  expect((await session.metadata()).agents).toEqual(["developer", "tester"])
  expect(warnings).toEqual([told])
})

test("writers continue with the other agents' files, and do not change the broken one", async () => {
  const { session, sessions, warnings } = await withBrokenFile()
  await session.finishAttempt("attempt-001", { result: "failure", error: "Quoted commas" })
  await session.plan.updateStep(1, { status: "complete" })
  expect((await session.memories()).get("developer")?.context?.currentPlanStep).toBe(2)
  expect(await session.archive()).toMatchObject([{ agent: "developer" }])
  expect(await session.end()).toMatchObject({ status: "complete", agents: ["developer", "tester"] })
  expect((await session.state()).state).toBe("complete")
  expect(await sessions.list({ active: true })).toEqual([])
  expect(readIn(session, "agent-memory.tester.yaml")).toBe("attempts: [\n")
  expect(warnings).toContainEqual(told)
})

test("if no file can be read, it fails", async () => {
  const { sessions } = makeSessions()
  const session = await sessions.start({ task: "Read the feed", agent: "developer" })
  writeIn(session, "agent-memory.yaml", "attempts: [\n")
  await expect(session.memories()).rejects.toThrow(/agent-memory\.yaml:\d+:\d+ /)
  await expect(session.end()).rejects.toThrow(/agent-memory\.yaml:\d+:\d+ /)
})

test("an agent with a broken archive does not block archiving for the others", async () => {
  const { sessions, passTime, warnings } = makeSessions()
  const session = await sessions.start({ task: "Read the feed", agent: "developer" })
  for (const agent of ["developer", "tester"])
    await session.addDiscovery(agent, { type: "data_model", content: "Prices are cents" })
  writeIn(session, "agent-memory-archive.yaml", "attempts: [\n")
  passTime(5 * 3_600_000)
  await session.addDiscovery("tester", { type: "data_model", content: "Rows end in a comma" })
  await session.addDiscovery("developer", { type: "data_model", content: "Rows end in a comma" })
  expect((await session.archive()).map(({ agent }) => agent)).toEqual(["tester"])
  expect(warnings).toContainEqual(
    expect.stringMatching(/agent-memory-archive\.yaml:\d+:\d+ .*the other agents were processed/),
  )
  expect((await session.memories()).get("developer")?.discoveries).toHaveLength(2)
})

test("one agent's memory can be read alone", async () => {
  const { sessions } = makeSessions()
  const session = await sessions.start({ task: "Read the feed", agent: "developer" })
  await session.addDiscovery("tester", { type: "data_model", content: "Prices are cents" })
  expect([...(await session.memories({ agent: "tester" })).keys()]).toEqual(["tester"])
  await expect(session.memories({ agent: "nobody" })).rejects.toMatchObject({
    message: "This session has no agent nobody",
    hint: "Its agents are developer, tester.",
  })
})
