import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { makeRepository } from "../../test/run-cli.ts"
import { briefArbiter } from "./brief-arbiter.ts"
import { openSessions } from "./open-sessions.ts"
import { promptAgent } from "./prompt-agent.ts"
import type { Session } from "./session.ts"

async function begun(): Promise<Session> {
  const now = () => new Date("2026-02-14T09:15:00.000Z")
  const sessions = openSessions({ folder: makeRepository({}), now, makeHex: () => "5e1c07d2", warn: () => {} })
  return sessions.start({ task: "Move the shelves", agent: "rook" })
}

async function failed(session: Session): Promise<void> {
  const { attempt } = await session.startAttempt("rook", { description: "Lift the shelves with one crane" })
  await session.finishAttempt(attempt.id, { result: "failure", error: "The crane tips over" })
}

test("without a name the session's first agent is meant", async () => {
  const session = await begun()
  await failed(session)
  const { agent, text } = await promptAgent(session, { prompt: "You are Rook." })
  expect([agent, text.split("\n")[0]]).toEqual(["rook", "You are Rook."])
  expect(text).toContain("- Lift the shelves with one crane: The crane tips over")
})

test("an agent that has noted nothing is told what failed for the others, unless it asks for its own", async () => {
  const session = await begun()
  await failed(session)
  const request = { agent: "kane", prompt: "You are Kane." }
  expect((await promptAgent(session, request)).text).toContain("(rook): The crane tips over")
  expect((await promptAgent(session, { ...request, own: true })).text).toBe("You are Kane.")
})

test("what was archived is told to agents and to the arbiter", async () => {
  const session = await begun()
  const archive = `version: "1"
schema: agent-memory
sessionId: ${session.id}
agent: rook
createdAt: "2026-02-14T05:00:00.000Z"
attempts:
  - id: attempt-001
    timestamp: "2026-02-14T05:00:00.000Z"
    description: Lift the shelves with one crane
    result: failure
    error: The crane tips over
`
  writeFileSync(join(session.folder, "agent-memory-archive.yaml"), archive)
  expect((await promptAgent(session, { prompt: "" })).text).toContain("The crane tips over")
  const brief = await briefArbiter(session, { approach: "Lift all shelves with a crane" })
  expect(brief.similar).toMatchObject([{ agent: "rook", attemptId: "attempt-001" }])
  expect(brief.text).toContain("**rook**: Last attempt (failure) - Lift the shelves with one crane")
})
