import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { gitIn } from "../src/memories/staleness/test-repository.ts"
import { listFailedAttempts } from "../src/sessions/failed-attempts.ts"
import { claudeSession } from "./claude-session.ts"
import { type LearningPlace, learningPlace } from "./learning-place.ts"
import { findTrustFile, trustForTest } from "./trust-for-test.ts"

const session = "aaaaaaaa-0000-4000-8000-000000000001"
const at = "2026-03-10T10:30:00.000Z"

/** A test fails, its cause is found, a change makes it pass; the user answers a question; the plan has a step left. */
function work(place: LearningPlace) {
  const claude = claudeSession(place.home, { cwd: place.root, session, start: "2026-03-10T10:00:00.000Z" })
  claude.user("Repair the invoice totals")
  claude.use("TodoWrite", { todos: todos("in_progress", "pending") }, "Todos have been modified")
  claude.assistant("Let me round the cents after the sum.")
  claude.edit("src/totals.ts")
  claude.run("npm test", "FAIL test/totals.test.ts\nError: expected 10.00 but got 9.99\nTests: 1 failed, 2 passed", 1)
  return claude
}

function solve(claude: ReturnType<typeof work>) {
  claude.assistant("The total is wrong because `sum` in src/totals.ts adds floats before rounding.")
  claude.assistant("I'll keep the cents as integers.")
  claude.edit("src/totals.ts")
  claude.run("npm test", "Tests: 3 passed, 3 total")
  claude.use("TodoWrite", { todos: todos("completed", "in_progress") }, "Todos have been modified")
  claude.assistant("The totals are right now. Should I also change the exported file format?")
  claude.user("No, leave the file format as it is.")
}

const todos = (first: string, second: string) => [
  { content: "Fix the sum", status: first, activeForm: "Fixing" },
  { content: "Describe it in the changelog", status: second, activeForm: "Describing" },
]

const ingest = (place: LearningPlace, options: Parameters<LearningPlace["open"]>[0] = {}) =>
  place.learning({ at, ...options }).ingest()

const folderOf = (place: LearningPlace) => join(place.root, ".squad/sessions")

function sessionsOf(place: LearningPlace): string[] {
  try {
    return readdirSync(folderOf(place)).filter((name) => !name.startsWith("."))
  } catch {
    return []
  }
}

const fileOf = (place: LearningPlace) => join(folderOf(place), sessionsOf(place)[0] ?? "", "agent-memory.yaml")
const memoryOf = async (place: LearningPlace) => {
  const all = await (await place.open({ at }).sessions.open(sessionsOf(place)[0])).memories()
  return [...all.values()][0]
}

test("work in a connected client fills a session: attempts, discoveries, decisions and context, each with its source", async () => {
  const place = learningPlace()
  solve(work(place))
  await ingest(place)
  const [id = ""] = sessionsOf(place)
  expect(id).toMatch(/^20260310-100000-[0-9a-f]{8}-repair-the-invoice-totals$/)
  const memory = await memoryOf(place)
  expect(memory?.attempts).toMatchObject([
    {
      id: "attempt-001",
      description: "Round the cents after the sum (src/totals.ts)",
      approach: "Edited src/totals.ts; ran `npm test`",
      commands: ["npm test"],
      result: "failure",
      error: expect.stringContaining("expected 10.00 but got 9.99"),
      artifacts: [{ path: "src/totals.ts" }],
      source: expect.stringMatching(/^claude-code\/aaaaaaaa-.*\/\d+$/),
    },
    { id: "attempt-002", description: "Keep the cents as integers (src/totals.ts)", result: "success" },
  ])
  const quote = "The total is wrong because `sum` in src/totals.ts adds floats before rounding."
  expect(memory?.discoveries).toMatchObject([
    { type: "solution_verified", importance: "high", quote, relatedFiles: ["src/totals.ts"] },
  ])
  expect(
    readFileSync(place.home && claudeFile(place), "utf8").split("\n")[lineOf(memory?.discoveries[0]?.source)],
  ).toContain("adds floats before rounding")
  expect(memory?.decisions).toMatchObject([{ description: expect.stringContaining("leave the file format as it is") }])
  expect(memory?.context).toMatchObject({
    currentPlanStep: 2,
    nextSteps: ["Describe it in the changelog"],
    filesInScope: [{ path: "src/totals.ts", status: "complete" }],
  })
  expect((await place.open({ at }).sessions.validate()).errors).toBe(0)
  expect(readFileSync(join(folderOf(place), ".gitignore"), "utf8")).toBe("*\n")
  const prompt = await place.open({ at }).sessions.arbiterPrompt(id, { prompt: "Who is next?" })
  expect(prompt.text).toContain("**claude-code**: Last attempt (success) - Keep the cents as integers")
})

const claudeFile = (place: LearningPlace) =>
  join(place.home, ".claude", "projects", place.root.replace(/[^A-Za-z0-9]/g, "-"), `${session}.jsonl`)
const lineOf = (source = "") => Number.parseInt(source.split("/").at(-1) ?? "", 10) - 1

test("a growing conversation updates its session, and reading it again changes nothing", async () => {
  const place = learningPlace()
  const claude = work(place)
  claude.assistant("I'll keep the cents as integers.")
  claude.edit("src/totals.ts")
  await ingest(place)
  expect((await memoryOf(place))?.attempts.map(({ result }) => result)).toEqual(["failure", "in_progress"])
  claude.run("npm test", "Tests: 3 passed, 3 total")
  await ingest(place)
  expect((await memoryOf(place))?.attempts.map(({ id, result }) => `${id} ${result}`)).toEqual([
    "attempt-001 failure",
    "attempt-002 success",
  ])
  const text = readFileSync(fileOf(place), "utf8")
  await ingest(place)
  expect(readFileSync(fileOf(place), "utf8")).toBe(text)
  expect(sessionsOf(place)).toHaveLength(1)
})

test("a conversation that rests is ended, and what was open in it counts as partial", async () => {
  const place = learningPlace()
  work(place).edit("src/totals.ts")
  await ingest(place)
  await ingest(place, { at: "2026-03-10T18:00:00.000Z" })
  expect(await place.open({ at }).sessions.list()).toMatchObject([{ metadata: { status: "complete" } }])
  expect((await memoryOf(place))?.attempts.at(-1)?.result).toBe("partial")
})

test("what a person changed or removed in the files stays so", async () => {
  const place = learningPlace()
  const claude = work(place)
  claude.assistant("I'll keep the cents as integers.")
  claude.edit("src/totals.ts")
  claude.run("npm run lint", "✖ 1 problem", 1)
  await ingest(place)
  const path = fileOf(place)
  const before = readFileSync(path, "utf8")
  const second = before.slice(before.indexOf('  - id: "attempt-002"'), before.indexOf("\ndecisions:"))
  expect(second).toContain("npm run lint")
  const edited = before
    .replace(second, "")
    .replace("Round the cents after the sum (src/totals.ts)", "Round late # a person's words")
    .replace("discoveries: []", "# Read me first\ndiscoveries: []")
  writeFileSync(path, edited)
  solve(claude)
  await ingest(place)
  const after = readFileSync(path, "utf8")
  expect(after).toContain("# Read me first")
  expect(after).toContain("Round late # a person's words")
  expect(after).not.toContain("npm run lint")
  expect((await memoryOf(place))?.attempts.map(({ result }) => result)).toEqual(["failure", "success"])
})

test("an agent's own session and notes win: they are added to, and nothing of the same is added beside them", async () => {
  const place = learningPlace()
  const sessions = place.open({ at: "2026-03-10T10:00:05.000Z" }).sessions
  const own = await sessions.start({ task: "Repair the totals", agent: "developer" })
  await own.addDiscovery("developer", {
    type: "failure_cause",
    content: "`sum` in src/totals.ts adds floats before rounding, so the total is wrong",
  })
  const { attempt } = await own.startAttempt("developer", { description: "Round the cents after the sum" })
  await own.finishAttempt(attempt.id, { result: "failure", error: "9.99 instead of 10.00" })
  await own.updateContext("developer", { set: { nextSteps: ["Ask Ines about the format"] } })
  solve(work(place))
  await ingest(place)
  expect(sessionsOf(place)).toEqual([own.id])
  const memory = await memoryOf(place)
  expect(memory?.agent).toBe("developer")
  expect(memory?.attempts).toMatchObject([
    { description: "Round the cents after the sum", error: "9.99 instead of 10.00" },
    { description: "Keep the cents as integers (src/totals.ts)", source: expect.any(String) },
  ])
  expect(memory?.discoveries).toHaveLength(1)
  expect(memory?.context?.nextSteps).toEqual(["Ask Ines about the format"])
})

test.each([true, false])(
  "an old session goes without asking only if all in it was observed: %s",
  async (isObserved) => {
    const place = learningPlace()
    work(place)
    await ingest(place)
    const [id = ""] = sessionsOf(place)
    const old = await place.open({ at }).sessions.open(id)
    if (!isObserved) await old.addDiscovery("ines", { type: "failure_cause", content: "The bank rounds half to even" })
    await old.end()
    const later = place.open({ at: "2026-04-30T10:00:00.000Z" }).sessions
    for (let each = 0; each < 10; each++) await later.start({ task: `Task ${each}` })
    claudeSession(place.home, { cwd: place.root, session: `${session}b`, start: "2026-04-30T10:00:00.000Z" }).user("Hi")
    await ingest(place, { at: "2026-04-30T10:30:00.000Z" })
    expect(sessionsOf(place).includes(id)).toBe(!isObserved)
  },
)

test("a session that was started during two conversations is used for neither", async () => {
  const place = learningPlace()
  const own = await place
    .open({ at: "2026-03-10T10:00:05.000Z" })
    .sessions.start({ task: "Sort the mail", agent: "ines" })
  work(place)
  const other = claudeSession(place.home, {
    cwd: place.root,
    session: `${session}b`,
    start: "2026-03-10T10:00:00.000Z",
  })
  other.user("Translate the page")
  other.edit("src/page.ts")
  other.run("npm test", "Tests: 1 failed", 1)
  await ingest(place)
  expect(sessionsOf(place)).toHaveLength(3)
  const [memory] = [...(await own.memories()).values()]
  expect(memory?.attempts).toEqual([])
})

test("a session that an agent starts is the one that commands mean, while Drey keeps another by itself", async () => {
  const place = learningPlace()
  work(place)
  await ingest(place)
  const { sessions } = place.open({ at: "2026-03-12T10:00:00.000Z" })
  const own = await sessions.start({ task: "Something else", agent: "tester" })
  expect((await sessions.open()).id).toBe(own.id)
})

test("a session that the user removed does not come back, even when the conversation ends", async () => {
  const place = learningPlace()
  const claude = work(place)
  await ingest(place)
  rmSync(join(folderOf(place), sessionsOf(place)[0] ?? ""), { recursive: true })
  solve(claude)
  for (const later of [at, "2026-03-10T18:00:00.000Z"]) {
    await ingest(place, { at: later })
    expect(sessionsOf(place)).toEqual([])
  }
})

test("a session that an agent started is not ended when the conversation rests", async () => {
  const place = learningPlace()
  const own = await place.open({ at: "2026-03-10T10:00:05.000Z" }).sessions.start({ task: "Repair the totals" })
  const { attempt } = await own.startAttempt(undefined, { description: "Ask the bank for its rounding rules" })
  work(place)
  await ingest(place)
  await ingest(place, { at: "2026-03-10T18:00:00.000Z" })
  expect(await place.open({ at }).sessions.list()).toMatchObject([{ id: own.id, metadata: { status: "active" } }])
  const [memory] = [...(await own.memories()).values()]
  expect(memory?.attempts.find(({ id }) => id === attempt.id)?.result).toBe("in_progress")
  expect(memory?.context?.nextSteps).not.toEqual([])
})

test("an old session that cannot be read keeps nothing else from being learned", async () => {
  const place = learningPlace()
  work(place)
  await ingest(place)
  writeFileSync(fileOf(place), "attempts: 3\n")
  claudeSession(place.home, { cwd: place.root, session: `${session}b`, start: "2026-03-16T10:00:00.000Z" }).user("Hi")
  const warnings: string[] = []
  await ingest(place, { at: "2026-03-16T10:30:00.000Z", warn: (line) => warnings.push(line) })
  expect(warnings.join()).toContain("was not ended")
})

test("a discovery that a decision is based on stays when better ones are found", async () => {
  const place = learningPlace()
  const claude = work(place)
  for (let each = 0; each < 10; each++)
    claude.assistant(`The problem is that \`part-${each}.ts\` reads the ledger ${"again ".repeat(each)}for every row.`)
  await ingest(place)
  const last = (await memoryOf(place))?.discoveries.at(-1)
  const sessions = await place.open({ at }).sessions.open(sessionsOf(place)[0])
  await sessions.addDecision("claude-code", {
    type: "architectural",
    description: "Read the ledger once",
    relatedDiscoveries: [last?.id ?? ""],
  })
  claude.assistant(
    "I found that the root cause is the cache: `ledger.ts` and `cache.ts` are wrong because `key.ts` drops the year.",
  )
  await ingest(place)
  const kept = await memoryOf(place)
  expect(kept?.discoveries.map(({ content }) => content)).toContain(last?.content)
  expect(kept?.discoveries).toHaveLength(11)
})

test.each([
  [
    "sessions.auto is off",
    (place: LearningPlace) => {
      writeFileSync(join(place.root, ".squad/config.json"), JSON.stringify({ drey: { sessions: { auto: false } } }))
    },
  ],
  ["the repository is not trusted", (place: LearningPlace) => rmSync(findTrustFile(place.env.DREY_HOME))],
  ["the work is long ago", () => {}],
  [
    "the work was in another checkout",
    (place: LearningPlace) => {
      const git = gitIn(place.root)
      for (const args of [
        ["init", "-q"],
        ["add", "-A"],
        ["commit", "-qm", "Start"],
      ])
        git(...args)
      git("worktree", "add", "-q", `${place.root}-other`)
      trustForTest(place.env.DREY_HOME, place.root)
      onTestFinished(() => rmSync(`${place.root}-other`, { recursive: true }))
    },
  ],
])("nothing is kept when %s", async (name, prepare) => {
  const place = learningPlace()
  prepare(place)
  solve(work(name.includes("another checkout") ? { ...place, root: `${place.root}-other` } : place))
  await ingest(place, name.includes("long ago") ? { at: "2026-03-20T10:00:00.000Z" } : {})
  expect(sessionsOf(place)).toEqual([])
})

test("secrets are replaced, at most ten discoveries are kept, and a failed check is no guard against running it again", async () => {
  const place = learningPlace()
  const claude = work(place)
  const secret = `ghp_${"a1B2c3D4e5F6g7H8i9".repeat(2)}`
  claude.assistant(
    `I found that the upload fails because \`upload.ts\` and \`send.ts\` put the token ${secret} into the URL.`,
  )
  for (let each = 0; each < 20; each++)
    claude.assistant(`The problem is that \`part-${each}.ts\` reads the ledger ${"again ".repeat(each)}for every row.`)
  await ingest(place)
  const memory = await memoryOf(place)
  expect(memory?.discoveries).toHaveLength(10)
  expect(readFileSync(fileOf(place), "utf8")).not.toContain(secret)
  expect(readFileSync(fileOf(place), "utf8")).toContain("[secret: ")
  expect(memory?.attempts[0]?.result).toBe("failure")
  expect(await listFailedAttempts(place.open({ at }).sessions)).toEqual([])
})
