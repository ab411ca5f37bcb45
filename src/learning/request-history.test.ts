import { expect, test } from "vitest"
import { claudeSession } from "../../test/claude-session.ts"
import { openTestLearning } from "./test-learning.ts"

/** A session for each of these messages, a day apart, in which the user says it after the agent's work. */
function sessions(said: readonly string[]) {
  const { home, root, learning } = openTestLearning()
  for (const [day, words] of said.entries()) {
    const start = new Date(Date.UTC(2026, 1, day + 1, 9)).toISOString()
    const session = claudeSession(home, { cwd: root, session: `s${day}`, start })
    session.user(`Add part ${day} of the invoice`)
    session.edit(`src/part${day}.ts`)
    session.user(words)
    session.edit(`src/part${day}.ts`)
  }
  return learning
}

const described = "describe the change in the release notes file"

test("the same request in eight sessions is one preference with eight pieces of evidence", async () => {
  const learning = sessions(Array.from({ length: 8 }, () => described))
  await learning.ingest()
  const memories = await learning.memories()
  expect(memories.map(({ kind, text, origin }) => ({ kind, text, origin }))).toEqual([
    { kind: "preference", text: "Describe the change in the release notes file.", origin: "user" },
  ])
  const explained = await learning.explain(memories[0]?.id ?? "")
  expect(new Set(explained?.evidence.map(({ episode }) => episode)).size).toBe(8)
})

test("a request that is worded differently each time is one preference on the third time", async () => {
  const wordings = [
    described,
    "please describe this change in the release notes",
    "also describe the change in the release notes file please",
  ]
  const twice = sessions(wordings.slice(0, 2))
  await twice.ingest()
  expect(await twice.memories()).toEqual([])
  const thrice = sessions(wordings)
  await thrice.ingest()
  expect((await thrice.memories()).map(({ text }) => text)).toEqual(["Describe the change in the release notes file."])
})

test.each([
  "commit and push",
  "run the tests again",
  "is the total right now?",
  "thanks, that works",
  "continue please",
  "[Image #1: the release notes of the shop]",
  "[Pasted text #2 +40 lines] [Conversation resumed after compaction]",
])("what everybody says in every session is not a preference: %s", async (words) => {
  const learning = sessions(Array.from({ length: 5 }, () => words))
  await learning.ingest()
  expect(await learning.memories()).toEqual([])
})

test("a mark of the client beside a request is not part of it", async () => {
  const learning = sessions([described, `[Image #1] ${described}`, `${described} [Pasted text #2 +40 lines]`])
  await learning.ingest()
  expect((await learning.memories()).map(({ text }) => text)).toEqual([
    "Describe the change in the release notes file.",
  ])
})

test("the user's own brackets stay in a request", async () => {
  const words = "describe the change in the [project.urls] table of the release notes file"
  const learning = sessions([words, words, words])
  await learning.ingest()
  expect((await learning.memories()).map(({ text }) => text).join()).toContain("[project.urls]")
})

test("a request that is made several times in one session only is not a preference", async () => {
  const { home, root, learning } = openTestLearning()
  const session = claudeSession(home, { cwd: root, session: "s1", start: "2026-02-01T09:00:00Z" })
  for (const part of [1, 2, 3, 4]) {
    session.user(`Add part ${part} of the invoice`)
    session.edit(`src/part${part}.ts`)
    session.user(described)
  }
  await learning.ingest()
  expect(await learning.memories()).toEqual([])
})
