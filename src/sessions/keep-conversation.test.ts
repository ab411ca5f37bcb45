import { expect, test } from "vitest"
import { makeSessions } from "./test-sessions.ts"

test("messages are added one after the other", async () => {
  const { sessions } = makeSessions()
  const session = await sessions.start({ task: "Feed", agent: "developer" })
  expect(await session.messages()).toEqual([])
  await session.addMessage({ role: "user", content: "Read the feed" })
  await session.addMessage({ agent: "developer", role: "assistant", content: "Done", usage: { input: 3, output: 1 } })
  expect(await session.messages()).toMatchObject([
    { id: "message-001", role: "user", content: "Read the feed" },
    { id: "message-002", role: "assistant", agent: "developer", usage: { input: 3, output: 1 } },
  ])
})

test("a long message is cut between two characters, with a mark that says how much is missing", async () => {
  const { sessions } = makeSessions()
  const session = await sessions.start({ task: "Feed" })
  const { content } = await session.addMessage({ role: "tool", content: "🦊".repeat(5000) })
  expect([...content].length).toBeLessThanOrEqual(4000)
  const [, kept = "", missing] = /^((?:🦊)+)\n\[… (\d+) more characters\]$/u.exec(content) ?? []
  expect([...kept].length + Number(missing)).toBe(5000)
  expect((await session.addMessage({ role: "tool", content: "🦊".repeat(4000) })).content).toBe("🦊".repeat(4000))
})
