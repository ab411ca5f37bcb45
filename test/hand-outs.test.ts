import { appendFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { ToolCall } from "../src/formats/client-events.ts"

import { electricianNotes, notesPath, session as notesSession } from "../src/recall/test-notes.ts"
import { claudeSession } from "./claude-session.ts"
import { type LearningPlace, learningPlace } from "./learning-place.ts"
import { semEntry } from "./legacy-fixtures.ts"

const decisions = ".squad/decisions.md"
const at = "2026-03-02T09:00:00Z"
const call: ToolCall = { tool: "Bash", command: "npm test", paths: [], text: undefined }

async function learn(place: LearningPlace, name: string, work: (it: ReturnType<typeof claudeSession>) => void) {
  const session = claudeSession(place.home, { cwd: place.root, session: name, start: "2026-03-01T10:00:00Z" })
  work(session)
  const learning = await place.learning({ at })
  await learning.ingest()
  await learning.flush()
  return (await learning.list()).map(({ id }) => id)
}

const saidNever = (it: ReturnType<typeof claudeSession>) => {
  it.user("never push to main, open a pull request instead")
  it.edit("src/checkout.ts")
  it.run("npm test", " Tests  4 passed (4)")
  it.user("thanks, that works")
}

test("a session begins with guards, rules, what was left open and all that fits, within its budget", async () => {
  const rule = semEntry("2026-02-15T14:32:15Z", "directive", "Always write dates in UTC")
  const decision = semEntry("2026-02-16T14:32:15Z", "decision", "Keep invoices for ten years")
  const place = learningPlace({ files: { [decisions]: `${rule}\n${decision}`, [notesPath]: electricianNotes } })
  const [memory = ""] = await learn(place, "said", saidNever)
  const drey = place.open({ at })
  const { text, taskId, included } = await drey.context.atStart({ client: "codex", session: "s-1" })
  expect(text).toMatch(new RegExp(`^<drey-context task="${taskId}">\n`))
  expect(text).toContain(`WARNING: [m:${memory.slice(2, 8)}] guard`)
  expect(text).toContain("> Always write dates in UTC")
  expect(text).toContain(`> Electrician · session ${notesSession}\n> - attempt: Replace the relay by a triac`)
  expect(text).toContain("> Keep invoices for ten years")
  expect(included).toEqual([memory, expect.stringMatching(/^sem-/), expect.stringMatching(/^sem-/)])
  const [record] = await drey.context.recorded(taskId ?? "")
  expect(record).toMatchObject({ client: "codex", session: "s-1", occasion: "session start", budget: 2000 })
  expect(record?.items.map(({ reason }) => reason)).toEqual([
    "a guard, learned from earlier work, on trial",
    "a rule of the team",
    "active decision",
  ])
  expect(record?.tokens).toBeLessThanOrEqual(2000)
})

test("what the session already has is not repeated, and a small budget is kept", async () => {
  const rules = Array.from({ length: 30 }, (_, number) =>
    semEntry(
      `2026-02-15T14:32:${String(number + 10)}Z`,
      "directive",
      `Always count rule number ${number} of the house`,
    ),
  )
  const drey = learningPlace({ files: { [decisions]: rules.join("\n") } }).open({ at })
  const first = await drey.context.atStart({ budget: 300 })
  expect(first.tokens).toBeLessThanOrEqual(300)
  const shown = [...first.included, ...first.listed]
  expect(shown.length).toBeGreaterThan(1)
  const second = await drey.context.atStart({ budget: 300, told: shown })
  expect([...second.included, ...second.listed].filter((id) => shown.includes(id))).toEqual([])
})

test("what the agent has seen in this session is not handed over again, and with nothing new there is no text", async () => {
  const place = learningPlace({ files: { [decisions]: semEntry("2026-02-16T14:32:15Z", "decision", "Keep lamps") } })
  const drey = place.open({ at: "2026-02-20T09:00:00Z" })
  const first = await drey.context.atStart({ session: "s-1" })
  expect(first.text).toContain("> Keep lamps")
  const nothing = { text: "", tokens: 0, taskId: undefined, included: [], listed: [] }
  expect(await drey.context.atStart({ session: "s-1", told: first.included })).toEqual(nothing)
  appendFileSync(
    join(place.root, decisions),
    `\n${semEntry("2026-02-25T10:00:00Z", "decision", "Paint the doors green")}`,
  )
  const { text } = await place.open({ at }).context.atStart({ session: "s-1", told: first.included })
  expect(text).toContain("> Paint the doors green")
  expect(text).not.toContain("Keep lamps")
})

const missing = "Error: Cannot find module './generated/client.js' imported from src/db.ts"

test("an error brings up what was learned from the same error, and the use is recorded", async () => {
  const place = learningPlace()
  const [memory = ""] = await learn(place, "failed", (it) => {
    it.user("Run the tests of the importer")
    it.run("npm test", missing, 1)
    it.run("npm test", missing, 1)
    it.run("npm run codegen", "generated 12 files")
    it.run("npm test", " Tests  4 passed (4)")
    it.user("thanks, that works")
  })
  const drey = place.open({ at })
  const output = `> shop@1.0.0 test\n\n${missing.replace("src/db.ts", "/home/kim/shop/src/db.ts")}\n    at x`
  const advice = await drey.context.forError(output, call, { session: "s-1" })
  expect(advice?.text).toMatch(/^<drey-context task="t-[0-9a-f]{12}">\n/)
  expect(advice?.text).toContain("npm run codegen")
  expect(advice?.included).toEqual([memory])
  expect((await drey.memories.explain(memory)).uses).toMatchObject([{ session: "s-1", injected: true }])
  expect(await drey.context.forError("Error: Cannot find module 'left-pad'", call)).toBeUndefined()
})

test("an error brings up the entry that quotes it, by the part that does", async () => {
  const long = `${"The importer has many parts. ".repeat(80)}With a stale cache it ends in "relation invoices does not exist": run the migrations. ${"It is old. ".repeat(80)}`
  const place = learningPlace({
    files: {
      [decisions]: `### 2026-02-05: How the importer works\n**By:** Rook\n**What:** ${long}\n\n### 2026-02-06: Doors\n**By:** Rook\n**What:** Doors do not exist in the tower.\n`,
    },
  })
  const drey = place.open({ at })
  const advice = await drey.context.forError('psql: ERROR:  relation "invoices" does not exist\nLINE 1: select', call)
  expect(advice?.text).toContain("run the migrations")
  expect(advice?.text.length).toBeLessThan(1500)
  expect(await drey.context.forError("TypeError: x is not a function", call)).toBeUndefined()
  expect(await drey.context.forError("", call)).toBeUndefined()
})

test("an error brings up failed attempts to fix it from open sessions", async () => {
  const drey = learningPlace().open()
  const session = await drey.sessions.start({ task: "Mend the importer" })
  const { attempt } = await session.startAttempt(undefined, { description: "Clear the cache" })
  await session.finishAttempt(attempt.id, { result: "failure", error: missing, lessons: "The cache is not the cause" })
  const advice = await drey.context.forError(missing, call)
  expect(advice?.text).toContain("> Clear the cache")
  expect(advice?.text).toContain("The cache is not the cause")
})

test("a memory that an agent names in its answer has helped, however it reached the agent", async () => {
  const place = learningPlace()
  const [memory = ""] = await learn(place, "said", saidNever)
  const drey = place.open({ at: "2026-03-01T12:00:00Z" })
  await drey.context.atStart({ session: "later" })
  const session = claudeSession(place.home, { cwd: place.root, session: "later", start: "2026-03-01T12:00:10Z" })
  session.user("Add a total to the invoice page")
  session.edit("src/invoice.ts")
  session.assistant(`Done, on a branch: I did not push to main (m:${memory.slice(2, 8)}).`)
  const learning = await place.learning({ at })
  await learning.ingest()
  await learning.flush()
  const { uses } = await learning.explain(memory)
  expect(uses).toMatchObject([{ session: "later", injected: true, cited: true, outcome: "hit" }])
})
