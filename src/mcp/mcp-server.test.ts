import { expect, test } from "vitest"
import { limitCalls, sessionInMeta } from "./mcp-server.ts"

test("a call names its session itself, or the client did when it started the server", () => {
  const codex = { "x-codex-turn-metadata": { session_id: "s-1", turn_id: "7" } }
  expect(sessionInMeta(codex, { CLAUDE_CODE_SESSION_ID: "s-2" })).toBe("s-1")
  expect(sessionInMeta(undefined, { CLAUDE_CODE_SESSION_ID: "s-2" })).toBe("s-2")
  expect(sessionInMeta({}, { COPILOT_AGENT_SESSION_ID: "s-3" })).toBe("s-3")
  expect(sessionInMeta({ "x-codex-turn-metadata": "odd" }, {})).toBeUndefined()
  expect(sessionInMeta({ "x-codex-turn-metadata": { session_id: 7 } }, { CLAUDE_CODE_SESSION_ID: "" })).toBeUndefined()
})

test("no more calls run at once than the limit, and each starts in its turn", async () => {
  const limit = limitCalls(2)
  const begun: number[] = []
  const ends: (() => void)[] = []
  const results = [0, 1, 2, 3].map((at) =>
    limit.run(() => {
      begun.push(at)
      return new Promise<number>((resolve) => ends.push(() => resolve(at)))
    }),
  )
  await Promise.resolve()
  expect(begun).toEqual([0, 1])
  ends[1]?.()
  expect(await results[1]).toBe(1)
  expect(begun).toEqual([0, 1, 2])
  ends[0]?.()
  await results[0]
  ends[2]?.()
  await results[2]
  ends[3]?.()
  expect(await Promise.all(results)).toEqual([0, 1, 2, 3])
})

test("a failed call frees its slot like any other", async () => {
  const limit = limitCalls(1)
  const failing = limit.run(() => Promise.reject(new Error("no")))
  const next = limit.run(async () => "done")
  await expect(failing).rejects.toThrow("no")
  expect(await next).toBe("done")
})

test("it is idle when nothing runs and nothing waits", async () => {
  const limit = limitCalls(1)
  await limit.idle()
  let isDone = 0
  const count = async () => {
    await Promise.resolve()
    isDone++
  }
  limit.run(count)
  limit.run(count)
  await limit.idle()
  expect(isDone).toBe(2)
})
