import { randomUUID } from "node:crypto"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { AgentMemory } from "../../formats/session/agent-memory.ts"
import { clearWithMarks } from "../../governance/cleared.ts"
import { openTestLearning, type TestLearning } from "../../learning/test-learning.ts"
import { findStore, folderOf } from "../../team/team-folder.ts"
import type { Session } from "../session-api.ts"
import { openSessions } from "../sessions.ts"
import { attempt, decision, discovery, memoryOf } from "../test-entries.ts"
import type { LearnedGraduate } from "./graduate.ts"
import { noteLessons, proposeDecisions } from "./graduated-entries.ts"
import { type GraduationPorts, graduateSession, proposeGraduates } from "./session-graduation.ts"

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

test("ask lists what could graduate and writes nothing; off does nothing", async () => {
  const { root, learning, session, ports } = await workedSession()
  const before = textsIn(join(root, ".squad"))
  const asked = await graduateSession(session, { mode: "ask" }, ports)
  expect(asked.proposals.map(({ id }) => id)).toEqual(everything)
  expect(asked).toMatchObject({ session: session.id, graduated: [], refused: [] })
  expect((await graduateSession(session, { mode: "off" }, ports)).proposals).toEqual([])
  expect(textsIn(join(root, ".squad"))).toEqual(before)
  expect(await learning.memories()).toEqual([])
})

test("auto keeps what needs no confirmation, and leaves the rest for the user", async () => {
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

test("graduated entries are marked with their destination, and a second run adds nothing", async () => {
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

test("after a kill between keeping and marking, the next run keeps nothing twice and marks everything", async () => {
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

test("an entry is chosen by its id, with the agent if two agents have it", async () => {
  const { session, ports } = await workedSession()
  const byFailure = await graduateSession(session, { chosen: ["developer/attempt-001"] }, ports)
  expect(byFailure.graduated.map(({ id }) => id)).toEqual(["developer/attempt-002"])
  await expect(graduateSession(session, { chosen: ["attempt-009"] }, ports)).rejects.toThrow("has the id attempt-009")
  await failAndSolve(session)
  await session.addDiscovery("developer", { type: "failure_cause", content: "The pool opens before the migrations." })
  await expect(graduateSession(session, { chosen: ["discovery-001"] }, ports)).rejects.toThrow("is ambiguous")
})

test("a refusal is reported with its reason, and the entry is unchanged", async () => {
  const { session, ports } = await workedSession()
  const propose = async () => [{ kind: "refused" as const, reason: "there is no team folder to put it in" }]
  const answer = await graduateSession(session, { chosen: ["decision-001"] }, { ...ports, propose })
  expect(answer).toMatchObject({
    graduated: [],
    refused: [{ id: "tester/decision-001", reason: "there is no team folder to put it in" }],
  })
  expect((await graduatedTo(session))["tester/decision-001"]).toBeUndefined()
})

test("a secret written into a session's file by hand reaches neither the store nor the team", async () => {
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

/** The files beside the locks, by path. */
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

const session = "20260304-080000-0a1b2c3d-queue"

function propose(...memories: AgentMemory[]) {
  return proposeGraduates(new Map(memories.map((memory) => [memory.agent, memory])), session)
}

function learned(...memories: AgentMemory[]): LearnedGraduate[] {
  return propose(...memories).filter((graduate): graduate is LearnedGraduate => graduate.target === "learned")
}

const failed = attempt("attempt-001", "09:00", {
  planStep: 2,
  description: "Seed the test database",
  approach: "Call the seed script with the pool of the app",
  result: "failure",
  error: 'Seeding...\nPostgresError: relation "users" does not exist\n    at seed.ts:12',
})
const solved = attempt("attempt-002", "09:10", {
  planStep: 2,
  description: "Seed the test database",
  approach: "Run the migrations before the seed script",
  artifacts: [{ path: "scripts/seed.ts", action: "modify" }, { path: "/etc/hosts" }],
})

test("a solved failure says what fails, what works and what does not, and recognises its error again", () => {
  expect(propose(memoryOf({ attempts: [failed, solved] }))).toEqual([
    {
      target: "learned",
      id: "developer/attempt-002",
      why: "developer/attempt-001 failed and developer/attempt-002 then succeeded",
      sources: [
        { agent: "developer", id: "attempt-002" },
        { agent: "developer", id: "attempt-001" },
      ],
      inAuto: true,
      kind: "pattern",
      text: `When "Seed the test database" fails with "PostgresError: relation 'users' does not exist", this works: Run the migrations before the seed script. This did not: Call the seed script with the pool of the app.`,
      confidence: 0.6,
      trigger: {
        tools: [],
        heads: [],
        paths: ["scripts/seed.ts"],
        fingerprints: ["postgreserror: relation <text> does not exist"],
      },
      evidence: "failure_then_success",
      quotes: [
        {
          agent: "developer",
          id: "attempt-001",
          ts: "2026-03-04T09:00:00.000Z",
          text: 'Seed the test database: PostgresError: relation "users" does not exist',
        },
        {
          agent: "developer",
          id: "attempt-002",
          ts: "2026-03-04T09:10:00.000Z",
          text: "Seed the test database: success",
        },
      ],
    },
  ])
})

test("one agent's failure that another agent solved is one lesson, in whatever order they are recorded", () => {
  const [lesson, ...others] = learned(
    memoryOf({ attempts: [{ ...solved, id: "attempt-001" }] }, "tester"),
    memoryOf({ attempts: [failed] }),
  )
  expect(others).toEqual([])
  expect(lesson).toMatchObject({
    id: "tester/attempt-001",
    sources: [
      { agent: "tester", id: "attempt-001" },
      { agent: "developer", id: "attempt-001" },
    ],
  })
})

test("an error that occurred twice becomes a warning, and everything in it fits", () => {
  const again = attempt("attempt-003", "09:05", { ...fieldsOf(failed), approach: "Retry the seed script three times" })
  const lessons = `${"Migrations have a connection of their own and are run to their end ".repeat(3)}first.`
  const [guard] = learned(memoryOf({ attempts: [failed, again, { ...solved, lessons }] }))
  expect(guard).toMatchObject({ kind: "guard", why: expect.stringContaining("2 times") })
  expect(guard?.text).toMatch(/^For "Seed the test database" this failed 2 times with "PostgresError: relation 'users'/)
  expect(guard?.text).toMatch(/: Retry the seed script three times\. This works instead: Migrations have .*…$/)
  expect([...(guard?.text ?? "")].length).toBeLessThanOrEqual(300)
})

test("a success after which the same error occurred again has solved nothing", () => {
  const back = attempt("attempt-003", "09:20", fieldsOf(failed))
  expect(learned(memoryOf({ attempts: [failed, solved, back] }))).toEqual([])
  const other = attempt("attempt-004", "09:30", { ...fieldsOf(solved), approach: "Wait for the migration job" })
  expect(learned(memoryOf({ attempts: [failed, solved, back, other] }))).toMatchObject([
    { id: "developer/attempt-004", text: expect.stringContaining("Wait for the migration job") },
  ])
})

test("outside of a plan, attempts are matched by similarity", () => {
  const loose = [failed, solved].map(({ planStep: _, ...rest }) => rest)
  const other = attempt("attempt-000", "08:50", {
    description: "Draw the chart",
    result: "failure",
    error: "Error: no canvas",
  })
  expect(learned(memoryOf({ attempts: [other, ...loose] }))).toMatchObject([
    { sources: [{ id: "attempt-002" }, { id: "attempt-001" }] },
  ])
})

test("a program's output is kept verbatim, whatever an agent would mean by the same words", () => {
  const error = "Error: row #12 is not yet free."
  expect(learned(memoryOf({ attempts: [{ ...failed, error }, solved] }))).toMatchObject([
    { text: expect.stringContaining('fails with "Error: row #12 is not yet free", this works') },
  ])
})

test.each([
  ["the failure does not say what went wrong", { error: undefined }, {}],
  ["the error is about the task in hand", { error: "Too broad for the task requirements." }, {}],
  ["the same was tried once more and nobody knows why it worked", {}, { approach: undefined }],
])("nothing is learned when %s", (_, failure, success) => {
  expect(
    learned(
      memoryOf({
        attempts: [
          { ...failed, ...failure },
          { ...solved, ...success },
        ],
      }),
    ),
  ).toEqual([])
})

test("causes and solutions graduate with their text and their file", () => {
  const cause = discovery("discovery-001", "09:00", {
    type: "failure_cause",
    content:
      "The login test hangs because the clock is mocked in setup. Redis timeouts need real time. It is flaky today.",
  })
  const solution = discovery("discovery-002", "09:01", {
    type: "solution_verified",
    summary: "Clock",
    content: "Real timers in beforeEach let the client time out.",
    relatedFiles: ["test/setup.ts"],
  })
  expect(learned(memoryOf({ discoveries: [cause, solution] }))).toMatchObject([
    {
      kind: "pattern",
      inAuto: true,
      evidence: "pattern_observed",
      text: "The login test hangs because the clock is mocked in setup. Redis timeouts need real time.",
    },
    {
      text: "Real timers in beforeEach let the client time out (test/setup.ts).",
      trigger: { paths: ["test/setup.ts"] },
    },
  ])
})

test("facts about the codebase graduate if they are important and something is based on them, and only on request", () => {
  const found = (id: string, importance: string) =>
    discovery(id, "09:00", { importance, content: `Handlers of ${id} return a Result.`, type: "code_pattern" })
  const memory = memoryOf({
    discoveries: [
      found("d-decided", "high"),
      found("d-built", "critical"),
      found("d-alone", "high"),
      found("d-minor", "medium"),
    ],
    attempts: [
      attempt("a-1", "09:10", { relatedDiscoveries: ["d-built"] }),
      attempt("a-2", "09:11", { relatedDiscoveries: ["d-alone"], result: "failure" }),
    ],
  })
  const other = memoryOf(
    { decisions: [decision("x-1", "09:20", { relatedDiscoveries: ["d-decided", "d-minor", "gone"] })] },
    "lead",
  )
  expect(learned(memory, other)).toMatchObject([
    { id: "developer/d-decided", kind: "invariant", inAuto: false, why: "high, and x-1 rests on it", confidence: 0.6 },
    {
      id: "developer/d-built",
      kind: "invariant",
      inAuto: false,
      why: "critical, and a-1 rests on it",
      confidence: 0.7,
    },
  ])
})

test("an ambiguous reference to several agents' discoveries does not count as evidence", () => {
  const found = memoryOf({
    discoveries: [discovery("d-1", "09:00", { importance: "high", content: "Handlers return a Result." })],
  })
  const named = memoryOf({ decisions: [decision("x-1", "09:20", { relatedDiscoveries: ["d-1"] })] }, "lead")
  expect(learned(found, named)).toHaveLength(1)
  expect(learned(found, { ...found, agent: "tester" }, named)).toEqual([])
  expect(learned(found, { ...named, discoveries: found.discoveries })).toMatchObject([{ id: "lead/d-1" }])
})

test("unverified discoveries and open questions stay in the session, whatever their importance", () => {
  const memory = memoryOf({
    discoveries: [
      discovery("d-1", "09:00", { importance: "critical", content: "Sessions are kept in Redis." }),
      discovery("d-2", "09:00", {
        type: "complexity_assessment",
        importance: "critical",
        content: "Five steps in three files.",
      }),
      discovery("d-3", "09:00", { type: "failure_cause", content: "Is it the pool?" }),
    ],
    decisions: [decision("x-1", "09:00", { relatedDiscoveries: ["d-2"] })],
    context: { openQuestions: ["Does the store scale?"], assumptions: ["Users exist."] },
  })
  expect(propose(memory)).toEqual([])
})

test("a decision with high impact becomes an entry with its reason and the rejected alternatives", () => {
  const large = decision("decision-001", "09:00", {
    type: "architectural",
    impact: "high",
    description: "Keep the queue in PostgreSQL",
    reasoning: "- One database to run\n- Jobs commit with the data",
    alternatives: [{ name: "Redis", reason: "Not chosen - a second thing to back up" }, "Kafka (too large)"],
    reversible: false,
  })
  const small = decision("decision-002", "09:00", { type: "architectural", impact: "medium" })
  const other = decision("decision-003", "09:00", { type: "workaround", impact: "high" })
  const [graduate, ...others] = propose(memoryOf({ decisions: [large, small, other] }))
  expect(others).toEqual([])
  expect(graduate).toMatchObject({
    target: "inbox",
    id: "developer/decision-001",
    inAuto: false,
    entry: {
      type: "decision",
      author: "developer",
      title: "Keep the queue in PostgreSQL",
      details:
        "Rejected alternatives:\n\n- Redis: a second thing to back up\n- Kafka: too large\n\nThis is hard to reverse.",
      rationale: "- One database to run\n- Jobs commit with the data",
      scope: "team",
    },
  })
})

test("lessons are for the agent that learned them, unless a solution already contains them", () => {
  const alone = attempt("attempt-003", "10:00", {
    description: "Build the docs",
    lessons: "The docs need Graphviz.\n- Not yet done",
  })
  const open = attempt("attempt-004", "10:01", { result: "in_progress", lessons: "Pools open lazily." })
  const graduates = propose(
    memoryOf({ attempts: [failed, { ...solved, lessons: "Migrations come first." }, alone, open] }),
  )
  expect(graduates.map(({ target, id }) => [target, id])).toEqual([
    ["learned", "developer/attempt-002"],
    ["history", "developer/attempt-003"],
  ])
  expect(graduates[0]).toMatchObject({ text: expect.stringContaining("this works: Migrations come first.") })
  expect(graduates[1]).toMatchObject({
    agent: "developer",
    text: "The docs need Graphviz.",
    details: "Learned from this attempt (success): Build the docs.",
  })
})

test("graduated entries are left out, and with a success the failures it solved", () => {
  const attempts = [failed, { ...solved, graduatedTo: "m-0123456789abcdef" }]
  const discoveries = [
    discovery("d-1", "09:00", { type: "failure_cause", content: "The pool opens too late.", graduatedTo: "m-1" }),
  ]
  expect(propose(memoryOf({ attempts, discoveries }))).toEqual([])
})

test("an entry with a secret, or a redacted one, is not even proposed", () => {
  const token = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`
  const cause = (id: string, content: string) => discovery(id, "09:00", { type: "failure_cause", content })
  const memory = memoryOf({
    discoveries: [
      cause("d-1", `The deploy fails without ${token} in the shell.`),
      cause("d-2", clearWithMarks(`It needs the token ghp_${"a1B2c3D4e5F6".repeat(3)} to run.`)),
    ],
    attempts: [{ ...failed, error: `Error: ${token} is not valid` }, solved],
    decisions: [decision("x-1", "09:00", { type: "architectural", impact: "high", description: `Sign with ${token}` })],
  })
  expect(propose(memory)).toEqual([])
})

function fieldsOf({ id: _, timestamp: __, ...fields }: object & { id?: string; timestamp?: string }): object {
  return fields
}

test("a success at the same step on another topic solves nothing", () => {
  const split = attempt("attempt-001", "09:00", {
    planStep: 1,
    description: "Split the e2e job",
    approach: "shard 1/4",
    result: "failure",
    error: "Timeout of 30000ms exceeded",
  })
  const readme = attempt("attempt-002", "09:10", {
    planStep: 1,
    description: "Describe the pipeline",
    approach: "Edit README.md",
  })
  expect(learned(memoryOf({ attempts: [split, readme] }))).toEqual([])
})

test("outside of a plan, a solution is recognised by its purpose or by a decision that names both; a single signal needs confirmation", () => {
  const cached = attempt("attempt-001", "09:00", {
    description: "Cache node_modules in CI",
    result: "failure",
    error: "npm error EBADPLATFORM: unsupported platform",
  })
  const moved = attempt("attempt-002", "09:10", { description: "Cache the npm folder in CI" })
  expect(learned(memoryOf({ attempts: [cached, moved] })).map(({ inAuto }) => inAuto)).toEqual([false])
  const other = attempt("attempt-002", "09:10", { description: "Install anew in every job" })
  expect(learned(memoryOf({ attempts: [cached, other] }))).toEqual([])
  const decisions = [decision("decision-001", "09:20", { relatedAttempts: ["attempt-001", "attempt-002"] })]
  expect(learned(memoryOf({ attempts: [cached, other], decisions }))).toHaveLength(1)
})

test("the lessons of failed attempts are not lost in their solution: they become a note", () => {
  const lesson = "The seed script opens no connection of its own."
  const proposals = propose(memoryOf({ attempts: [{ ...failed, lessons: lesson }, solved] }))
  expect(proposals.map(({ target, id }) => [target, id])).toEqual([
    ["learned", "developer/attempt-002"],
    ["history", "developer/attempt-001"],
  ])
})

test("what works is described with what was done and how", () => {
  const browser = attempt("attempt-001", "09:00", {
    description: "Render the report as PDF in a browser",
    result: "failure",
    error: "Error: out of memory",
  })
  const library = attempt("attempt-002", "09:10", {
    description: "Render the report as PDF with pdf-lib",
    approach: "Page by page, without a browser",
  })
  expect(learned(memoryOf({ attempts: [browser, library] }))[0]?.text).toContain(
    "this works: Render the report as PDF with pdf-lib; Page by page, without a browser.",
  )
})
