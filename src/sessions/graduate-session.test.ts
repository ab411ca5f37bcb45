import { randomUUID } from "node:crypto"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { openTestLearning, type TestLearning } from "../learning/test-learning.ts"
import { findStore, folderOf } from "../squad/find-store.ts"
import { noteLessons } from "../squad/note-lessons.ts"
import { proposeDecisions } from "../squad/propose-decisions.ts"
import { type GraduationPorts, graduateSession } from "./graduate-session.ts"
import { openSessions } from "./open-sessions.ts"
import type { Session } from "./session.ts"

type Desk = TestLearning & { session: Session; ports: GraduationPorts; now: { at: Date } }

/** A session in which a failure was solved, a cause found, a decision made and a lesson learned. */
async function workedSession(): Promise<Desk> {
  const test = openTestLearning()
  const { root, learning } = test
  const now = { at: new Date("2026-03-02T08:00:00Z") }
  const tick = () => {
    now.at = new Date(now.at.getTime() + 60_000)
    return now.at
  }
  const sessions = openSessions({
    folder: join(root, ".squad", "sessions"),
    now: tick,
    makeHex: () => "0a1b2c3d",
    warn: () => {},
  })
  const session = await sessions.start({ task: "Fix the seeding", agent: "developer" })
  await failAndSolve(session)
  await session.addDiscovery("tester", {
    type: "failure_cause",
    content: "The login test hangs because the clock is mocked.",
  })
  await session.addDecision("tester", {
    type: "architectural",
    description: "Keep the queue in PostgreSQL",
    impact: "high",
  })
  const { attempt } = await session.startAttempt("tester", { description: "Build the docs" })
  await session.finishAttempt(
    attempt.id,
    { result: "success", lessons: "The docs need Graphviz." },
    { agent: "tester" },
  )
  const store = findStore(root, `${root}/home`)
  const memory = {
    store,
    folder: folderOf(store),
    now: () => now.at,
    makeId: randomUUID,
    providers: [],
    client: undefined,
    removeFile: () => {},
    warn: () => {},
  }
  const ports: GraduationPorts = {
    learn: (lessons, isAccepted) => learning.learnFromSession({ session, lessons, isAccepted }),
    propose: (decisions) => proposeDecisions(store, decisions, now.at),
    note: (lessons) => noteLessons(memory, lessons),
  }
  return { ...test, session, ports, now }
}

async function failAndSolve(session: Session): Promise<void> {
  const failed = await session.startAttempt("developer", { description: "Seed the database", planStep: 1 })
  await session.finishAttempt(failed.attempt.id, { result: "failure", error: "Error: no such table: users" })
  const solved = await session.startAttempt("developer", { description: "Seed after the migrations", planStep: 1 })
  await session.finishAttempt(solved.attempt.id, { result: "success" })
}

const everything = ["developer/attempt-002", "tester/discovery-001", "tester/decision-001", "tester/attempt-001"]

async function graduatedTo(session: Session): Promise<Record<string, string | undefined>> {
  const marks: Record<string, string | undefined> = {}
  for (const [agent, { attempts, discoveries, decisions }] of await session.memories({ archived: true }))
    for (const { id, graduatedTo } of [...attempts, ...discoveries, ...decisions]) marks[`${agent}/${id}`] = graduatedTo
  return marks
}

test("asking tells what could graduate and writes nothing; off does not even look", async () => {
  const { root, learning, session, ports } = await workedSession()
  const before = textsIn(join(root, ".squad"))
  const asked = await graduateSession(session, { mode: "ask" }, ports)
  expect(asked.proposals.map(({ id }) => id)).toEqual(everything)
  expect(asked).toMatchObject({ session: session.id, graduated: [], refused: [] })
  expect((await graduateSession(session, { mode: "off" }, ports)).proposals).toEqual([])
  expect(textsIn(join(root, ".squad"))).toEqual(before)
  expect(await learning.memories()).toEqual([])
})

test("auto learns what needs nobody's word, and leaves the rest for a person", async () => {
  const { learning, session, ports } = await workedSession()
  const { graduated, refused } = await graduateSession(session, { mode: "auto" }, ports)
  expect(graduated.map(({ id }) => id)).toEqual(everything.slice(0, 2))
  expect(refused).toEqual([])
  expect((await learning.memories()).map(({ text }) => text).sort()).toEqual([
    "The login test hangs because the clock is mocked.",
    'When "Seed the database" fails with "Error: no such table: users", this works: Seed after the migrations.',
  ])
  const left = await graduateSession(session, { mode: "ask" }, ports)
  expect(left.proposals.map(({ id }) => id)).toEqual(everything.slice(2))
})

test("what graduated is marked with where it went, and a second run adds nothing", async () => {
  const { root, learning, session, ports } = await workedSession()
  const { graduated } = await graduateSession(session, { chosen: "all" }, ports)
  expect(graduated.map(({ target, isNew }) => [target, isNew])).toEqual([
    ["learned", true],
    ["learned", true],
    ["inbox", true],
    ["history", true],
  ])
  const [solved, cause, decided, lesson] = graduated.map(({ to }) => to)
  expect(await graduatedTo(session)).toEqual({
    "developer/attempt-001": solved,
    "developer/attempt-002": solved,
    "tester/discovery-001": cause,
    "tester/decision-001": decided,
    "tester/attempt-001": lesson,
  })
  const [before, memories] = [textsIn(join(root, ".squad")), await learning.memories()]
  expect(await graduateSession(session, { chosen: "all" }, ports)).toMatchObject({ proposals: [], graduated: [] })
  expect(textsIn(join(root, ".squad"))).toEqual(before)
  expect(await learning.memories()).toEqual(memories)
})

test("killed between keeping and marking, the next run keeps nothing twice and marks it all", async () => {
  const { root, learning, session, ports } = await workedSession()
  const killed = { ...session, markGraduated: () => Promise.reject(new Error("killed")) }
  for (const only of everything)
    await expect(graduateSession(killed, { chosen: [only] }, ports)).rejects.toThrow("killed")
  const [history, inbox, memories] = [historyOf(root), inboxOf(root), await learning.memories()]
  expect([inbox.length, memories.length]).toEqual([1, 2])
  const { graduated } = await graduateSession(session, { chosen: "all" }, ports)
  expect(graduated.map(({ id, isNew }) => [id, isNew])).toEqual(everything.map((id) => [id, false]))
  expect([historyOf(root), inboxOf(root), await learning.memories()]).toEqual([history, inbox, memories])
  expect(Object.values(await graduatedTo(session))).not.toContain(undefined)
})

test("two runs at once keep everything once", async () => {
  const { root, learning, session, ports } = await workedSession()
  const runs = await Promise.all([1, 2].map(() => graduateSession(session, { chosen: "all" }, ports)))
  expect(runs.map(({ graduated }) => graduated.length).sort()).toEqual([0, 4])
  expect(await learning.memories()).toHaveLength(2)
  expect(historyOf(root).match(/^### /gm)).toHaveLength(1)
})

test("archived entries graduate and are marked in the archive", async () => {
  const { session, ports, now } = await workedSession()
  now.at = new Date("2026-03-02T16:00:00Z")
  await session.addDiscovery("tester", { type: "code_pattern", content: "Handlers return a Result." })
  await session.archive()
  expect((await session.memories()).get("tester")?.discoveries).toHaveLength(1)
  await graduateSession(session, { chosen: ["discovery-001"] }, ports)
  const archive = readFileSync(join(session.folder, "agent-memory-archive.tester.yaml"), "utf8")
  expect(archive).toMatch(/graduatedTo: "?m-[0-9a-f]{16}/)
})

test("one is chosen by the id of an entry, with the agent where two agents have it", async () => {
  const { session, ports } = await workedSession()
  const byFailure = await graduateSession(session, { chosen: ["developer/attempt-001"] }, ports)
  expect(byFailure.graduated.map(({ id }) => id)).toEqual(["developer/attempt-002"])
  await expect(graduateSession(session, { chosen: ["attempt-009"] }, ports)).rejects.toThrow("has the id attempt-009")
  await failAndSolve(session)
  await session.addDiscovery("developer", { type: "failure_cause", content: "The pool opens before the migrations." })
  await expect(graduateSession(session, { chosen: ["discovery-001"] }, ports)).rejects.toThrow("is ambiguous")
})

test("what is refused is told with its reason, and stays as it was", async () => {
  const { session, ports } = await workedSession()
  const propose = async () => [{ kind: "refused" as const, reason: "there is no team folder to put it in" }]
  const answer = await graduateSession(session, { chosen: ["decision-001"] }, { ...ports, propose })
  expect(answer).toMatchObject({
    graduated: [],
    refused: [{ id: "tester/decision-001", reason: "there is no team folder to put it in" }],
  })
  expect((await graduatedTo(session))["tester/decision-001"]).toBeUndefined()
})

test("a secret that somebody wrote into a session's file by hand reaches neither the store nor the team", async () => {
  const { home, root, session, ports } = await workedSession()
  const token = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`
  const path = join(session.folder, "agent-memory.tester.yaml")
  const text = readFileSync(path, "utf8")
    .replace("the clock is mocked.", `the clock is mocked. The token is ${token}.`)
    .replace(/impact: "?high"?/, `$&\n    reasoning: It was signed with ${token}`)
    .replace("The docs need Graphviz.", `The docs need Graphviz. The token is ${token}.`)
  expect(text.split(token)).toHaveLength(4)
  writeFileSync(path, text)
  const { graduated, refused } = await graduateSession(session, { chosen: "all" }, ports)
  expect(refused.map(({ id }) => id)).toEqual(["tester/decision-001"])
  expect(graduated.map(({ id }) => id)).toEqual(everything.filter((id) => id !== "tester/decision-001"))
  const outside = { ...textsIn(join(home, ".drey")), ...textsIn(join(root, ".squad")), answer: JSON.stringify(refused) }
  const holding = Object.entries(outside).filter(([, each]) => each.includes(token))
  expect(holding.map(([each]) => each)).toEqual([path])
})

/** What is beside the locks, by path. */
function textsIn(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((item) => item.isFile())
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).filter((path) => !/lock$/.test(path))
  return Object.fromEntries(paths.sort().map((path) => [path, readFileSync(path, "latin1")]))
}

function historyOf(root: string): string {
  return readFileSync(join(root, ".squad/agents/tester/history.md"), "utf8")
}

function inboxOf(root: string): string[] {
  return readdirSync(join(root, ".squad/decisions/inbox"))
}
