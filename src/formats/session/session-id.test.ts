import fc from "fast-check"
import { expect, test } from "vitest"
import { agentSlug, isSessionId, makeSessionId } from "./session-id.ts"

const now = new Date("2026-03-02T08:05:09.730Z")

test("an id contains the start of the session, in UTC, and its topic", () => {
  expect(makeSessionId("Cache the price list!", now, "0a1b2c3d")).toBe("20260302-080509-0a1b2c3d-cache-the-price-list")
})

test("a task gives at most 30 characters, none of them a dash at an end", () => {
  const slugOf = (task: string) => makeSessionId(task, now, "0a1b2c3d").slice("20260302-080509-0a1b2c3d-".length)
  expect(slugOf("Move the nightly import to the new queue")).toBe("move-the-nightly-import-to-the")
  expect(slugOf("  ../../Etc\\passwd ")).toBe("etc-passwd")
  expect(slugOf("価格表")).toBe("session")
  expect(slugOf("")).toBe("session")
})

test("every task gives an id that is safe as the name of a folder", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (task) => {
      const id = makeSessionId(task, now, "0a1b2c3d")
      expect(isSessionId(id)).toBe(true)
      expect(id).toMatch(/^[a-z0-9-]+$/)
    }),
  )
})

test("digits that are not hexadecimal are a bug", () => {
  expect(() => makeSessionId("x", now, "nothexed")).toThrow(/not a valid session id/)
})

test.each([
  "",
  "..",
  "20260302-080509-0a1b2c3d-",
  "20260302-080509-0A1B2C3D-prices",
  "20260302-080509-0a1b2c3d-prices/..",
  "20260302-080509-0a1b2c3d-prices\n",
  "/20260302-080509-0a1b2c3d-prices",
  "20260302-080509-0a1b2c3d-../../prices",
  "2026-080509-0a1b2c3d-prices",
  `20260302-080509-0a1b2c3d-${"x".repeat(300)}`,
])("%j is not a session id", (text) => {
  expect(isSessionId(text)).toBe(false)
})

test("an agent's part of a file name is plain, whatever the agent's name", () => {
  expect(agentSlug("QA Lead")).toBe("qa-lead")
  expect(agentSlug("../tester")).toBe("tester")
  expect(agentSlug("検査")).toBe("agent")
})
