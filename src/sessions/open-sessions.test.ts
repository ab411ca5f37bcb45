import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import { bundleChild, startChild } from "../../test/start-child.ts"
import { DreyError } from "../errors.ts"
import { allTexts, makeSessions, readIn } from "./test-sessions.ts"

test("nothing is made before the first session starts", async () => {
  const { sessions } = makeSessions()
  expect(await sessions.list()).toEqual([])
  await expect(sessions.open()).rejects.toThrow("No session is active")
  expect(existsSync(dirname(sessions.folder))).toBe(false)
})

test("a new session has its files, private and out of git's sight", async () => {
  const { sessions } = makeSessions()
  const session = await sessions.start({ task: "Read the price feed!", agent: "developer" })
  expect(session.id).toBe("20260123-103001-00000001-read-the-price-feed")
  expect(readdirSync(session.folder).sort()).toEqual(["agent-memory.yaml", "context.yaml", "metadata.yaml"])
  await session.addMessage({ role: "user", content: "Go" })
  await session.setPlan({ steps: [{ description: "Read" }] })
  await session.addDiscovery("tester", { type: "data_model", content: "Cents" })
  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
  expect(modeOf(sessions.folder)).toBe("700")
  expect(modeOf(session.folder)).toBe("700")
  for (const path of allTexts(session.folder).keys()) expect([path, modeOf(path)]).toEqual([path, "600"])
  expect(allTexts(sessions.folder).get(join(sessions.folder, ".gitignore"))).toBe("*\n")
  expect(modeOf(dirname(sessions.folder))).toBe("755")
})

test("where sessions lie among other things, only the session itself is hidden from git", async () => {
  const { sessions } = makeSessions()
  mkdirSync(sessions.folder, { recursive: true })
  writeFileSync(join(sessions.folder, "README.md"), "ours")
  const session = await sessions.start({ task: "Feed" })
  expect(readdirSync(sessions.folder).sort()).toEqual([session.id, "README.md"].sort())
  expect(readIn(session, ".gitignore")).toBe("*\n")
})

test("a session is opened by its id, the beginning of it or, as the only active one, without", async () => {
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
  await expect(session.setPlan({ steps: [{ description: "x" }] })).rejects.toThrow("is a symbolic link")
  expect(readdirSync(outside)).toEqual([])
})

test("a secret is in no file, wherever it was said", async () => {
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
  await session.setPlan({
    task: say("task"),
    createdBy: say("by"),
    steps: [{ description: say("step"), instructions: say("how") }],
  })
  await session.updateStep(1, { status: "complete", output: say("output"), affectedFiles: [say("file")] })
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
    `import { openSessions } from "../sessions/open-sessions.ts"
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
