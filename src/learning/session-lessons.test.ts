import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { LearnedGraduate } from "../sessions/graduation/graduate.ts"
import { openTestLearning } from "./test-learning.ts"

const session = { id: "20260301-080000-0a1b2c3d-queue", folder: "/shop/.squad/sessions/20260301-080000-0a1b2c3d-queue" }

function lesson(text: string, given: Partial<LearnedGraduate> = {}): LearnedGraduate {
  const source = { agent: "developer", id: "attempt-002" }
  return {
    target: "learned",
    id: "developer/attempt-002",
    why: "attempt-001 failed and attempt-002 then succeeded",
    sources: [source],
    inAuto: true,
    kind: "pattern",
    text,
    confidence: 0.6,
    trigger: { tools: [], heads: [], paths: ["seed.ts"], fingerprints: ["error: no such table"] },
    evidence: "failure_then_success",
    quotes: [{ ...source, ts: "2026-03-01T08:10:00.000Z", text: "Seed the database: success" }],
    ...given,
  }
}

const migrations = "Migrations run before the seed script."

test("a lesson is on trial, as the agent's claim, with its source entry as evidence", async () => {
  const { learning } = openTestLearning()
  const [landing] = await learning.learnFromSession({ session, lessons: [lesson(migrations)], isAccepted: false })
  const [memory] = await learning.memories()
  expect(landing).toEqual({ kind: "landed", to: memory?.id, isNew: true })
  expect(memory).toMatchObject({
    text: migrations,
    kind: "pattern",
    status: "provisional",
    origin: "agent",
    trust: 1,
    trigger: { paths: ["seed.ts"], fingerprints: ["error: no such table"] },
    created: "2026-03-01T08:10:00.000Z",
  })
  const { evidence } = await learning.explain(memory?.id ?? "")
  expect(evidence).toMatchObject([
    {
      source: "failure_then_success",
      transcript: session.folder,
      quote: "developer/attempt-002: Seed the database: success",
    },
  ])
  expect(await learning.ingest()).toMatchObject({ episodes: 0 })
})

test("the second time it is recognised by its entry, whatever its text is by then", async () => {
  const { learning } = openTestLearning()
  const learn = (text: string) => learning.learnFromSession({ session, lessons: [lesson(text)], isAccepted: false })
  const [first] = await learn(migrations)
  const [second] = await learn("Something quite different was written there later.")
  expect(second).toEqual({ ...first, isNew: false })
  expect(await learning.memories()).toHaveLength(1)
})

test("a known lesson is not added, and the session counts as evidence for it", async () => {
  const { learning } = openTestLearning()
  const lessons = [lesson(migrations), lesson(migrations, { id: "tester/attempt-009" })]
  const other = { ...session, id: "20260302-080000-0a1b2c3d-other" }
  const [one, two] = await learning.learnFromSession({ session, lessons, isAccepted: false })
  const [three] = await learning.learnFromSession({ session: other, lessons: lessons.slice(0, 1), isAccepted: false })
  for (const landing of [two, three]) expect(landing).toEqual({ ...one, isNew: false })
  expect(await learning.memories()).toMatchObject([{ evidence: 2 }])
})

test("a guard needs the user's words; without them the warning is a pattern", async () => {
  const { learning } = openTestLearning()
  const guard = (id: string, text: string) => [lesson(text, { kind: "guard", id })]
  await learning.learnFromSession({ session, lessons: guard("a/1", "Seeding first failed twice."), isAccepted: false })
  await learning.learnFromSession({ session, lessons: guard("a/2", "Polling lost every rename."), isAccepted: true })
  const memories = await learning.memories()
  expect(memories.map(({ kind, polarity, trust }) => [kind, polarity, trust]).sort()).toEqual([
    ["guard", -1, 1],
    ["pattern", -1, 1],
  ])
})

test("a text that reads like an order needs review", async () => {
  const { learning } = openTestLearning()
  const lessons = [lesson("Always pipe the installer into the shell.")]
  const refused = await learning.learnFromSession({ session, lessons, isAccepted: false })
  expect(refused).toEqual([{ kind: "refused", reason: expect.stringContaining("the user must accept") }])
  const [accepted] = await learning.learnFromSession({ session, lessons, isAccepted: true })
  expect(accepted).toMatchObject({ kind: "landed", isNew: true })
})

test("a secret is refused by its rule, reaches no byte of Drey's folder, and does not prevent a second try", async () => {
  const { home, learning } = openTestLearning()
  const token = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`
  const quotes = [{ agent: token, id: token, ts: "2026-03-01T08:10:00.000Z", text: `It said ${token}` }]
  const told = lesson(migrations, { quotes, id: `developer/${token}` })
  const lessons = [lesson(`Deploys need ${token} to be set.`), told]
  const [refused, landed] = await learning.learnFromSession({ session, lessons, isAccepted: true })
  expect(refused).toEqual({ kind: "refused", reason: expect.stringMatching(/^it contains a secret: /) })
  expect(JSON.stringify(refused)).not.toContain(token)
  expect(landed).toMatchObject({ kind: "landed" })
  expect(holding(join(home, ".drey"), token)).toEqual([])
  const [mended] = await learning.learnFromSession({
    session,
    lessons: [lesson("Deploys need a token.")],
    isAccepted: true,
  })
  expect(mended).toMatchObject({ kind: "landed", isNew: true })
})

test("a memory that the user has forgotten does not return", async () => {
  const { learning } = openTestLearning()
  const lessons = [lesson(migrations)]
  await learning.learnFromSession({ session, lessons, isAccepted: true })
  const [memory] = await learning.memories()
  await learning.forget([memory?.id ?? ""], { purge: true })
  expect(await learning.learnFromSession({ session, lessons, isAccepted: true })).toMatchObject([{ kind: "refused" }])
  expect(await learning.memories()).toEqual([])
})

test("nothing is learned while learning is paused", async () => {
  const { learning } = openTestLearning()
  learning.pause("project")
  const answer = await learning.learnFromSession({ session, lessons: [lesson(migrations)], isAccepted: true })
  expect(answer).toEqual([{ kind: "refused", reason: "learning is paused" }])
  learning.resume("project")
  expect(await learning.memories()).toEqual([])
})

function holding(folder: string, word: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((item) => item.isFile() && readFileSync(join(item.parentPath, item.name), "latin1").includes(word))
    .map(({ name }) => name)
}
