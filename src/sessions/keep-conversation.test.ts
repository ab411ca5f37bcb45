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

test("a long message is kept whole, with marks in place of secrets", async () => {
  const { sessions } = makeSessions()
  const session = await sessions.start({ task: "Feed" })
  const secret = ["pass", "word=never-keep-this-9"].join("")
  const { content } = await session.addMessage({ role: "tool", content: `${"🦊 ran\n".repeat(20_000)}${secret}` })
  expect(content.startsWith("🦊 ran\n".repeat(20_000))).toBe(true)
  expect(content).not.toContain("never-keep-this")
  expect((await session.messages())[0]?.content).toBe(content)
})
