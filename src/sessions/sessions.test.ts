import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import { bundleChild, startChild } from "../../test/start-child.ts"
import { DreyError, exitCode } from "../errors.ts"
import { allTexts, editIn, makeSessions, readIn, writeIn } from "./test-sessions.ts"

test("nothing is created before the first session starts", async () => {
  const { sessions } = makeSessions()
  expect(await sessions.list()).toEqual([])
  await expect(sessions.open()).rejects.toThrow("No session is active")
  expect(existsSync(dirname(sessions.folder))).toBe(false)
})

test("a new session has its files, private and ignored by git", async () => {
  const { sessions } = makeSessions()
  const session = await sessions.start({ task: "Read the price feed!", agent: "developer" })
  expect(session.id).toBe("20260123-103001-00000001-read-the-price-feed")
  expect(readdirSync(session.folder).sort()).toEqual(["agent-memory.yaml", "context.yaml", "metadata.yaml"])
  await session.addMessage({ role: "user", content: "Go" })
  await session.plan.set({ steps: [{ description: "Read" }] })
  await session.addDiscovery("tester", { type: "data_model", content: "Cents" })
  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
  expect(modeOf(sessions.folder)).toBe("700")
  expect(modeOf(session.folder)).toBe("700")
  for (const path of allTexts(session.folder).keys()) expect([path, modeOf(path)]).toEqual([path, "600"])
  expect(allTexts(sessions.folder).get(join(sessions.folder, ".gitignore"))).toBe("*\n")
  expect(modeOf(dirname(sessions.folder))).toBe("755")
})

test("if sessions share a folder with other files, only the session itself is ignored by git", async () => {
  const { sessions } = makeSessions()
  mkdirSync(sessions.folder, { recursive: true })
  writeFileSync(join(sessions.folder, "README.md"), "ours")
  const session = await sessions.start({ task: "Feed" })
  expect(readdirSync(sessions.folder).sort()).toEqual([session.id, "README.md"].sort())
  expect(readIn(session, ".gitignore")).toBe("*\n")
})

test("a session is opened by its id, a prefix of it or, as the only active one, without", async () => {
  const { sessions, passTime } = makeSessions()
  const first = await sessions.start({ task: "First" })
  expect((await sessions.open()).id).toBe(first.id)
  passTime(60_000)
  const second = await sessions.start({ task: "Second" })
  await expect(sessions.open()).rejects.toThrow("Several sessions are active")
  expect((await sessions.open(first.id)).id).toBe(first.id)
  expect((await sessions.open("20260123-1031")).id).toBe(second.id)
  await expect(sessions.open("20260123")).rejects.toThrow("2 sessions begin with 20260123")
  await first.end()
  expect((await sessions.open()).id).toBe(second.id)
})

test.each(["..", "../x", "/etc", "a/b", "20260123-103000-abc1def2-x/../y", "", ".", "2026\0", "C:\\x"])(
  "the id %j is refused",
  async (id) => {
    const { sessions } = makeSessions()
    await sessions.start({ task: "Feed" })
    await expect(sessions.open(id)).rejects.toThrow(DreyError)
  },
)

test("a link in the place of a session, or of one of its files, is not followed", async () => {
  const { sessions } = makeSessions()
  const session = await sessions.start({ task: "Feed" })
  const outside = join(dirname(dirname(sessions.folder)), "outside")
  mkdirSync(outside)
  const id = "20260124-103000-abc1def2-link"
  symlinkSync(outside, join(sessions.folder, id))
  await expect(sessions.open(id)).rejects.toThrow("is a symbolic link, which Drey does not follow")
  symlinkSync(join(outside, "plan.yaml"), join(session.folder, "plan.yaml"))
  await expect(session.plan.set({ steps: [{ description: "x" }] })).rejects.toThrow("is a symbolic link")
  expect(readdirSync(outside)).toEqual([])
})

test("a secret is in no file, wherever it was entered", async () => {
  const { sessions } = makeSessions()
  const canary = ["ghp", "16C7e42F292c6912E7710c838347Ae178B4a"].join("_")
  const word = ["Tr0ub4dor", "horse", "staple9"].join("-")
  const say = (where: string) => `${where} ${canary}`
  const session = await sessions.start({ task: say("task"), agent: say("agent"), provider: say("provider") })
  const agent = say("tester")
  const { id: discovery } = await session.addDiscovery(agent, {
    type: say("type"),
    content: say("content"),
    summary: say("summary"),
    relatedFiles: [say("file")],
    actionItems: [say("item")],
  })
  const { attempt } = await session.startAttempt(agent, {
    description: say("description"),
    approach: say("approach"),
    commands: [`curl -H "Authorization: Bearer ${canary}" https://example.org`],
  })
  await session.updateAttempt(
    attempt.id,
    {
      status: say("status"),
      progress: say("progress"),
      currentIssue: say("issue"),
      nextStep: say("next"),
      summary: say("summary"),
      subTasks: [{ description: say("task"), status: "pending", [say("key")]: say("value") }],
      artifacts: [{ path: say("path"), action: say("action"), status: say("status"), content: say("x".repeat(2040)) }],
    },
    { agent },
  )
  await session.finishAttempt(
    attempt.id,
    {
      result: "failure",
      error: say("error"),
      output: say("output"),
      lessons: say("lessons"),
      nextAttempt: say("next"),
    },
    { agent },
  )
  await session.addDecision(agent, {
    type: say("type"),
    description: say("description"),
    reasoning: say("reasoning"),
    alternatives: [{ name: say("name"), reason: say("reason") }],
    relatedDiscoveries: [discovery, say("reference")],
  })
  await session.updateContext(agent, {
    set: { taskContext: { [say("key")]: { deep: [say("value")] }, password: word }, note: say("note") },
    add: { blockers: [say("blocker")] },
    remove: { blockers: [say("other")] },
  })
  await session.plan.set({
    task: say("task"),
    createdBy: say("by"),
    steps: [{ description: say("step"), instructions: say("how") }],
  })
  await session.plan.updateStep(1, { status: "complete", output: say("output"), affectedFiles: [say("file")] })
  await session.addMessage({
    agent,
    role: say("role"),
    content: `${"x".repeat(3950)} ${canary}`,
    toolCalls: [{ name: "bash", input: { token: word, [canary]: canary } }],
    toolResults: [say("result")],
  })
  await session.updateState({
    provider: say("provider"),
    lastArbiterDecision: { why: say("why") },
    history: [say("history")],
  })
  await session.end({ summary: say("summary") })
  for (const [path, text] of allTexts(sessions.folder)) {
    expect([path, `${path}\n${text}`.toLowerCase().includes(canary.slice(4).toLowerCase())]).toEqual([path, false])
    expect([path, text.includes(word)]).toEqual([path, false])
  }
  const memory = [...(await session.memories()).values()][1]
  expect(memory?.discoveries[0]?.content).toBe("content [secret: access token]")
})

test("four processes that add 20 entries each, of two agents, lose nothing", async () => {
  const { sessions } = makeSessions()
  const session = await sessions.start({ task: "Feed", agent: "developer" })
  const script = await bundleChild(
    dirname(sessions.folder),
    `import { openSessions } from "../sessions/sessions.ts"
     const [, , folder = "", id = "", name = ""] = process.argv
     const warn = (message: string) => console.log(message)
     const session = await openSessions({ folder, now: () => new Date(), makeHex: () => "", warn }).open(id)
     for (let count = 0; count < 20; count++) {
       const agent = count % 2 === 0 ? "developer" : "tester"
       await session.addDiscovery(agent, { type: "data_model", content: name + " " + count })
     }`,
  )
  const children = ["a", "b", "c", "d"].map((name) => startChild(script, sessions.folder, session.id, name))
  expect(await Promise.all(children.map((child) => child.ended))).toEqual([0, 0, 0, 0])
  expect(children.map((child) => child.errors()).join("")).toBe("")
  const said = ["a", "b", "c", "d"].flatMap((name) => Array.from({ length: 20 }, (_, count) => `${name} ${count}`))
  const memories = [...(await session.memories({ archived: true })).values()]
  expect(memories.flatMap(({ discoveries }) => discoveries.map(({ content }) => content)).sort()).toEqual(said.sort())
  for (const { discoveries } of memories) expect(new Set(discoveries.map(({ id }) => id)).size).toBe(40)
  expect(readIn(session, "metadata.yaml")).toMatch(/discoveries: 80\b/)
})

test("a discovery is on disk under the next free id when the call returns", async () => {
  const { sessions, openAgain } = makeSessions()
  const session = await sessions.start({ task: "Read the price feed", agent: "developer" })
  const first = await session.addDiscovery(undefined, { type: "code_pattern", content: "Readers return rows" })
  expect(first).toMatchObject({ id: "discovery-001", timestamp: "2026-01-23T10:30:02.000Z", importance: "medium" })
  const other = await openAgain().open(session.id)
  const second = await other.addDiscovery("developer", { type: "data_model", content: "Cents", importance: "high" })
  expect(second.id).toBe("discovery-002")
  expect([...(await session.memories()).values()][0]?.discoveries.map(({ id }) => id)).toEqual([
    "discovery-001",
    "discovery-002",
  ])
})

test("a partial file of a killed process is removed by the next write, and nothing else is", async () => {
  const { sessions } = makeSessions()
  const session = await sessions.start({ task: "Feed", agent: "developer" })
  writeIn(session, ".agent-memory.yaml.0123456789abcdef.tmp", "version")
  writeIn(session, ".notes.tmp", "mine")
  await session.addDiscovery("developer", { type: "code_pattern", content: "Readers return rows" })
  expect(readdirSync(session.folder).filter((name) => name.endsWith(".tmp"))).toEqual([".notes.tmp"])
})

test("two agents have separate files, the first agent-memory.yaml, and their ids do not collide", async () => {
  const { sessions } = makeSessions()
  const session = await sessions.start({ task: "Feed", agent: "developer" })
  await session.addDiscovery("QA Lead", { type: "code_pattern", content: "Tests use a table" })
  await session.addDiscovery("developer", { type: "code_pattern", content: "Readers return rows" })
  expect(readIn(session, "agent-memory.qa-lead.yaml")).toContain('agent: "QA Lead"')
  const memories = await session.memories()
  expect([...memories.keys()]).toEqual(["developer", "QA Lead"])
  expect(memories.get("QA Lead")?.discoveries[0]?.id).toBe("discovery-001")
  expect((await session.metadata()).agents).toEqual(["developer", "QA Lead"])
})

test("two agents whose names give the same file name do not share a file", async () => {
  const { sessions } = makeSessions()
  const session = await sessions.start({ task: "Feed", agent: "developer" })
  await session.addDiscovery("qa lead", { type: "code_pattern", content: "one" })
  await session.addDiscovery("QA-Lead", { type: "code_pattern", content: "two" })
  await session.addDiscovery("qa lead", { type: "code_pattern", content: "three" })
  const memories = await session.memories()
  expect(memories.get("qa lead")?.discoveries.map(({ content }) => content)).toEqual(["one", "three"])
  expect(memories.get("QA-Lead")?.discoveries.map(({ content }) => content)).toEqual(["two"])
})

test("edits by hand between two writes stay to the byte, including comments and unknown fields", async () => {
  const { sessions } = makeSessions()
  const session = await sessions.start({ task: "Feed", agent: "developer" })
  await session.addDiscovery(undefined, { type: "code_pattern", content: "Readers return rows" })
  editIn(session, "agent-memory.yaml", (text) =>
    text.replace(
      '    type: "code_pattern"',
      "    # seen twice\n    ticket: 'SHOP-7'\n    type: code_pattern   # as the wiki says",
    ),
  )
  const edited = readIn(session, "agent-memory.yaml")
  expect(edited).toContain("# seen twice")
  await session.addDecision(undefined, { type: "implementation", description: "Keep rows" })
  const kept = edited.split("\n").filter((line) => !line.startsWith("updatedAt") && !line.startsWith("decisions"))
  for (const line of kept) expect(readIn(session, "agent-memory.yaml").split("\n")).toContain(line)
})

test("an attempt is in progress from its start, and its end records the duration", async () => {
  const { sessions, passTime } = makeSessions()
  const session = await sessions.start({ task: "Feed", agent: "developer" })
  const { attempt } = await session.startAttempt(undefined, {
    description: "Read by line",
    approach: "split",
    planStep: 2,
  })
  expect(attempt).toMatchObject({ id: "attempt-001", result: "in_progress", planStep: 2 })
  await session.updateAttempt("attempt-001", { status: "working", progress: "60%", nextStep: "quotes" })
  passTime(60_000)
  const finished = await session.finishAttempt("attempt-001", {
    result: "failure",
    error: "Quoted fields hold line breaks",
    lessons: "Do not split by line",
    artifacts: [{ path: "src/feed.ts", action: "modify", status: "reverted" }],
    tokensUsed: { input: 10, output: 5 },
  })
  expect(finished).toMatchObject({
    result: "failure",
    status: "failed",
    nextStep: "quotes",
    lessons: "Do not split by line",
  })
  expect(finished.duration_ms).toBeGreaterThanOrEqual(60_000)
  expect(finished.duration_ms).toBeLessThan(90_000)
  expect(await session.metadata()).toMatchObject({
    counts: { attempts: 1, failures: 1 },
    filesModified: ["src/feed.ts"],
    tokens: { input: 10, output: 5 },
  })
  expect(await session.state()).toMatchObject({
    state: "evaluating",
    iterationCount: 1,
    consecutiveFailures: 1,
    lastError: { agent: "developer", planStep: 2, message: "Quoted fields hold line breaks" },
  })
})

test("an agent that starts an attempt gets similar failed ones of any agent", async () => {
  const { sessions } = makeSessions()
  const session = await sessions.start({ task: "Feed", agent: "developer" })
  await session.startAttempt("developer", { description: "Parse the price feed by splitting lines at commas" })
  await session.finishAttempt("attempt-001", { result: "failure", error: "Quoted commas" })
  const { similar } = await session.startAttempt("tester", {
    description: "Parse price feed lines by splitting at commas",
  })
  expect(similar).toMatchObject([{ agent: "developer", attemptId: "attempt-001", result: "failure" }])
})

test("an id that two agents have needs the agent's name", async () => {
  const { sessions } = makeSessions()
  const session = await sessions.start({ task: "Feed", agent: "developer" })
  await session.startAttempt("developer", { description: "One" })
  await session.startAttempt("tester", { description: "Other" })
  await expect(session.finishAttempt("attempt-001", { result: "success" })).rejects.toThrow(
    "Both developer and tester have an attempt attempt-001",
  )
  await session.finishAttempt("attempt-001", { result: "success" }, { agent: "tester" })
  const memories = await session.memories()
  expect(memories.get("developer")?.attempts[0]?.result).toBe("in_progress")
  expect(memories.get("tester")?.attempts[0]?.result).toBe("success")
})

test("a field that another process changed meanwhile is replaced, and the other value is kept beside it", async () => {
  const { sessions, openAgain, warnings } = makeSessions()
  const session = await sessions.start({ task: "Feed", agent: "developer" })
  await session.startAttempt(undefined, { description: "Read by line", approach: "split" })
  const other = await openAgain().open()
  await other.updateAttempt("attempt-001", { approach: "a regular expression", nextStep: "measure" })
  const attempt = await session.updateAttempt("attempt-001", { approach: "a parser", output: "works" })
  expect(attempt).toMatchObject({
    approach: "a parser",
    nextStep: "measure",
    _conflict: { approach: "a regular expression" },
  })
  expect(attempt._conflict).not.toHaveProperty("output")
  expect(warnings).toEqual([
    "Another process changed approach of attempt-001 in the meantime; its value is kept in _conflict",
  ])
})

test.each([
  [
    "result",
    (session) => session.finishAttempt("attempt-001", { result: "sucess" as "success" }),
    /"sucess"/,
    /Did you mean "success"/,
  ],
  [
    "an end that is none",
    (session) => session.finishAttempt("attempt-001", { result: "in_progress" as "success" }),
    /in_progress/,
    /success, failure, partial/,
  ],
  [
    "importance",
    (session) => session.addDiscovery(undefined, { type: "data_model", content: "x", importance: "hihg" as "high" }),
    /"hihg"/,
    /Did you mean "high"/,
  ],
  [
    "nothing to say",
    (session) => session.addDiscovery(undefined, { type: "data_model", content: " \n" }),
    /content is missing/,
    /./,
  ],
  [
    "a step before the first",
    (session) => session.startAttempt(undefined, { description: "x", planStep: 0 }),
    /planStep.*1 or more/,
    /Nothing was written/,
  ],
  [
    "an impact",
    (session) => session.addDecision(undefined, { type: "skip", description: "x", impact: "huge" as "high" }),
    /"huge"/,
    /low, medium, high/,
  ],
  [
    "an agent without a name",
    (session) => session.addDiscovery("  ", { type: "data_model", content: "x" }),
    /agent name/,
    /./,
  ],
  [
    "an attempt that is not there",
    (session) => session.finishAttempt("attempt-9", { result: "success" }),
    /no attempt "attempt-9"/,
    /In progress: attempt-001/,
  ],
  [
    "a list that is none",
    (session) => session.updateContext(undefined, { add: { blokers: ["x"] } as object }),
    /"blokers"/,
    /Did you mean "blockers"/,
  ],
  [
    "a field below a list",
    (session) => session.updateContext(undefined, { set: { "blockers.first": 1 } }),
    /blockers/,
    /./,
  ],
  [
    "a name that is a path",
    (session) => session.updateContext(undefined, { set: { "__proto__.x": 1 } }),
    /field name/,
    /./,
  ],
  [
    "a wrong kind of value",
    (session) => session.updateContext(undefined, { set: { currentPlanStep: "two" } }),
    /currentPlanStep/,
    /Nothing was written/,
  ],
] as [string, (session: import("./session-api.ts").Session) => Promise<unknown>, RegExp, RegExp][])(
  "%s is refused with a hint, and nothing is changed",
  async (_, act, message, hint) => {
    const { sessions } = makeSessions()
    const session = await sessions.start({ task: "Feed", agent: "developer" })
    await session.startAttempt(undefined, { description: "Read by line" })
    await session.updateContext(undefined, { add: { blockers: ["no sample"] } })
    const before = readIn(session, "agent-memory.yaml")
    const error = await act(session).then(
      () => expect.unreachable("it was taken"),
      (error: unknown) => error,
    )
    expect(error).toBeInstanceOf(DreyError)
    expect((error as DreyError).message).toMatch(message)
    expect((error as DreyError).hint ?? "-").toMatch(hint)
    expect(readIn(session, "agent-memory.yaml")).toBe(before)
  },
)

test("an unknown type is kept, and reported", async () => {
  const { sessions, warnings } = makeSessions()
  const session = await sessions.start({ task: "Feed" })
  expect((await session.addDiscovery(undefined, { type: "hunch", content: "x" })).type).toBe("hunch")
  expect(warnings).toEqual([expect.stringContaining('"hunch"')])
})

test("a decision with an unresolved reference is kept, and reported; one that refers to another agent's entry is fine", async () => {
  const { sessions, warnings } = makeSessions()
  const session = await sessions.start({ task: "Feed", agent: "developer" })
  await session.addDiscovery("tester", { type: "data_model", content: "x" })
  await session.addDecision("developer", { type: "skip", description: "x", relatedDiscoveries: ["discovery-001"] })
  expect(warnings).toEqual([])
  await session.addDecision("developer", { type: "skip", description: "y", relatedAttempts: ["attempt-007"] })
  expect(warnings).toEqual([expect.stringContaining("attempt-007")])
})

test("a context is set field by field, and its lists are added to and removed from", async () => {
  const { sessions, warnings } = makeSessions()
  const session = await sessions.start({ task: "Feed" })
  await session.updateContext(undefined, {
    set: { "taskContext.runtime": "node", currentPlanStep: 2 },
    add: { blockers: ["no sample", "no key"], openQuestions: ["Which encoding?"] },
  })
  const context = await session.updateContext(undefined, {
    add: { blockers: ["no sample", "no access"] },
    remove: { blockers: ["no key", "no time"] },
  })
  expect(context).toMatchObject({
    currentPlanStep: 2,
    taskContext: { runtime: "node" },
    blockers: ["no sample", "no access"],
    openQuestions: ["Which encoding?"],
    assumptions: [],
  })
  expect(warnings).toEqual(['blockers does not contain "no time"'])
})

test("a file of a newer version is read, and not written", async () => {
  const { sessions } = makeSessions()
  const session = await sessions.start({ task: "Feed", agent: "developer" })
  editIn(session, "agent-memory.yaml", (text) => text.replace('version: "1"', 'version: "2"'))
  const before = readIn(session, "agent-memory.yaml")
  expect((await session.memories()).get("developer")?.version).toBe("2")
  await expect(session.addDiscovery(undefined, { type: "data_model", content: "x" })).rejects.toMatchObject({
    message: expect.stringContaining("version 2"),
    exitCode: exitCode.no,
  })
  expect(readIn(session, "agent-memory.yaml")).toBe(before)
})

test("a version that is a number becomes text when the file is next written", async () => {
  const { sessions } = makeSessions()
  const session = await sessions.start({ task: "Feed", agent: "developer" })
  editIn(session, "agent-memory.yaml", (text) => text.replace('version: "1"', "version: 1 # ours"))
  await session.addDiscovery(undefined, { type: "data_model", content: "x" })
  expect(readIn(session, "agent-memory.yaml")).toMatch(/^version: "1" # ours\n/)
})

test("a file that cannot be parsed is not changed, unless the caller asks to set it aside", async () => {
  const { sessions, openAgain, warnings } = makeSessions()
  const session = await sessions.start({ task: "Feed", agent: "developer" })
  await session.addDiscovery("tester", { type: "data_model", content: "theirs" })
  const broken = 'version: "1"\nschema: [agent-memory\n'
  writeIn(session, "agent-memory.yaml", broken)
  const refused = session.addDiscovery(undefined, { type: "data_model", content: "x" })
  await expect(refused).rejects.toThrow(/agent-memory\.yaml:\d+:\d+ /)
  expect(readIn(session, "agent-memory.yaml")).toBe(broken)
  await session.addDiscovery("tester", { type: "data_model", content: "unharmed" })

  const willing = await openAgain().open(session.id, { setAside: true })
  await willing.addDiscovery(undefined, { type: "data_model", content: "anew" })
  const [aside] = readdirSync(session.folder).filter((name) => name.includes(".corrupt-"))
  expect(aside).toMatch(/^agent-memory\.yaml\.corrupt-20260123T\d{6}Z$/)
  expect(readIn(session, aside ?? "")).toBe(broken)
  const memories = await session.memories()
  expect(memories.get("developer")?.discoveries.map(({ content }) => content)).toEqual(["anew"])
  expect(memories.get("tester")?.discoveries).toHaveLength(2)
  expect(warnings).toEqual([expect.stringContaining(aside ?? "-")])
})

test("metadata that cannot be parsed is set aside and rebuilt", async () => {
  const { sessions, warnings } = makeSessions()
  const session = await sessions.start({ task: "Read the feed", agent: "developer" })
  await session.startAttempt(undefined, { description: "Read by line" })
  writeIn(session, "metadata.yaml", "task: [")
  await session.finishAttempt("attempt-001", { result: "failure", error: "no" })
  expect(warnings).toEqual([expect.stringContaining("metadata.yaml.corrupt-")])
  expect(await session.metadata()).toMatchObject({ task: "Read the feed", status: "active", counts: { failures: 1 } })
})

test("the end closes open attempts as partial, keeps where to continue, and writes state and metadata", async () => {
  const { sessions, passTime } = makeSessions()
  const session = await sessions.start({ task: "Feed", agent: "developer" })
  await session.startAttempt("developer", { description: "Done" })
  await session.finishAttempt("attempt-001", { result: "success" })
  await session.startAttempt("tester", { description: "Open" })
  await session.updateAttempt("attempt-001", { nextStep: "the quotes", status: "working" }, { agent: "tester" })
  passTime(3_600_000)
  const metadata = await session.end({ status: "failed", summary: "No sample to test with" })
  expect(metadata).toMatchObject({ status: "failed", resultSummary: "No sample to test with", counts: { attempts: 2 } })
  expect(metadata.durationMs).toBeGreaterThan(3_600_000)
  expect((await session.memories()).get("tester")?.attempts[0]).toMatchObject({
    result: "partial",
    nextStep: "the quotes",
    status: "partial",
  })
  expect((await session.memories()).get("developer")?.attempts[0]?.result).toBe("success")
  expect((await session.state()).state).toBe("failed")
  expect((await session.end({ status: "failed" })).endedAt).toBe(metadata.endedAt)
  await expect(sessions.open()).rejects.toThrow("No session is active")
})

test("an archived entry can no longer be changed, and its id is not assigned again", async () => {
  const { sessions, passTime } = makeSessions()
  const session = await sessions.start({ task: "Feed", agent: "developer" })
  await session.startAttempt(undefined, { description: "Old" })
  await session.finishAttempt("attempt-001", { result: "failure", error: "no" })
  passTime(5 * 3_600_000)
  const { attempt } = await session.startAttempt(undefined, { description: "New" })
  expect(attempt.id).toBe("attempt-002")
  expect(readIn(session, "agent-memory-archive.yaml")).toContain("attempt-001")
  expect((await session.memories()).get("developer")?.attempts.map(({ id }) => id)).toEqual(["attempt-002"])
  const all = (await session.memories({ archived: true })).get("developer")
  expect(all?.attempts.map(({ id }) => id)).toEqual(["attempt-001", "attempt-002"])
  await expect(session.updateAttempt("attempt-001", { output: "x" })).rejects.toThrow("is archived")
  expect(await session.metadata()).toMatchObject({ archived: true, counts: { attempts: 2, failures: 1 } })
  editIn(session, "agent-memory.yaml", (text) => text.replace(/^history:[\s\S]*/m, ""))
  expect((await session.startAttempt(undefined, { description: "Newer" })).attempt.id).toBe("attempt-003")
})

test("an agent continues while another one's file cannot be parsed", async () => {
  const { sessions } = makeSessions()
  const session = await sessions.start({ task: "Feed", agent: "developer" })
  await session.addDiscovery("tester", { type: "data_model", content: "Cents" })
  writeIn(session, "agent-memory.tester.yaml", "{")
  await session.startAttempt("developer", { description: "Read by line" })
  await session.addDecision("developer", { type: "skip", description: "x", relatedAttempts: ["attempt-001"] })
  await session.finishAttempt("attempt-001", { result: "success" }, { agent: "developer" })
  expect(readIn(session, "agent-memory.yaml")).toContain('result: "success"')
  expect(readIn(session, "agent-memory.tester.yaml")).toBe("{")
})

test("the incrementally updated metadata is the same as derived from the files", async () => {
  const { sessions } = makeSessions()
  const session = await sessions.start({ task: "Feed", agent: "developer" })
  await session.addDiscovery("tester", { type: "data_model", content: "Cents" })
  await session.startAttempt("developer", { description: "Read by line" })
  await session.updateAttempt("attempt-001", { tokensUsed: { input: 7, output: 3 } })
  await session.finishAttempt("attempt-001", { result: "failure", artifacts: [{ path: "src/feed.ts" }] })
  await session.finishAttempt("attempt-001", { result: "success", tokensUsed: { input: 9, output: 3 } })
  await session.addDecision("tester", { type: "skip", description: "x" })
  const [kept] = await sessions.list()
  const derived = await session.metadata()
  expect(kept).toMatchObject({ metadata: { ...derived, sizeBytes: expect.any(Number) } })
  expect(derived).toMatchObject({
    counts: { discoveries: 1, attempts: 1, decisions: 1, failures: 0 },
    tokens: { input: 9 },
  })
})

test("entries written after the end are kept, and reported", async () => {
  const { sessions, warnings } = makeSessions()
  const session = await sessions.start({ task: "Feed", agent: "developer" })
  await session.end()
  await session.addDiscovery(undefined, { type: "data_model", content: "Cents" })
  expect(warnings).toEqual(["This session has ended as complete; the change was saved anyway"])
  expect((await session.metadata()).status).toBe("complete")
})

test("a file that becomes too large is archived by the write that made it so, and nothing is lost", async () => {
  const { sessions, passTime } = makeSessions()
  const session = await sessions.start({ task: "Feed", agent: "developer" })
  const ids: string[] = []
  for (let count = 0; count < 16; count++) {
    const content = `${count} ${"long words ".repeat(700)}`
    ids.push((await session.addDiscovery(undefined, { type: "data_model", content })).id)
    passTime(60_000)
  }
  expect(Buffer.byteLength(readIn(session, "agent-memory.yaml"))).toBeLessThan(100_000)
  const kept = (await session.memories({ archived: true })).get("developer")
  expect(kept?.discoveries.map(({ id }) => id)).toEqual(ids)
  expect(new Set(ids).size).toBe(16)
})

test("fields of an attempt that Drey maintains are not accepted from the caller", async () => {
  const { sessions } = makeSessions()
  const session = await sessions.start({ task: "Feed", agent: "developer" })
  await session.startAttempt(undefined, { description: "Read by line" })
  await expect(session.updateAttempt("attempt-001", { id: "attempt-009" } as object)).rejects.toThrow(DreyError)
  await expect(session.updateAttempt("attempt-001", { result: "success" } as object)).rejects.toThrow(DreyError)
})

test("a password that is secret only by its name is on no disk, wherever it is set", async () => {
  const { sessions, warnings } = makeSessions()
  const session = await sessions.start({ task: "Feed", agent: "developer" })
  const password = ["hunter2", "secret9"].join("")
  const token = ["ghp", "16C7e42F292c6912E7710c838347Ae178B4a"].join("_")
  await session.plan.set({ steps: [{ description: "Read" }] })
  await session.updateContext(undefined, { set: { "taskContext.password": password, [`taskContext.${token}`]: 1 } })
  await session.updateState({ password } as object)
  await session.plan.updateStep(1, { password } as object)
  await session.startAttempt(undefined, { description: "Read by line" })
  await session.updateAttempt("attempt-001", { password } as object)
  await session.addDecision(undefined, { type: "skip", description: "x", relatedAttempts: [token] })
  expect(await session.agentNamed(token)).not.toContain(token)
  expect(await session.agentNamed(undefined)).toBe("developer")
  for (const text of [...allTexts(session.folder).values(), ...warnings]) {
    expect(text).not.toContain(password)
    expect(text).not.toContain(token)
  }
})
