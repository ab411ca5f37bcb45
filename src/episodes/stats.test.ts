import { expect, test } from "vitest"
import { statsOf } from "./stats.ts"
import { interrupts, runs, says, testEvents } from "./test-events.ts"

test("stats are made of the stored events alone", () => {
  const events = testEvents(
    says("make the tests green"),
    ...runs("npm test", 1, "Tests  1 failed | 3 passed (4)"),
    ...runs("npm test", 1, "Tests  1 failed | 3 passed (4)"),
    ...runs("npm test", 0, "Tests  4 passed (4), 0 failed"),
  )
  const stored = JSON.parse(JSON.stringify(events))
  expect(statsOf(stored)).toEqual({
    error_count: 2,
    retry_loops: 1,
    retry_attempts: 1,
    tests_final_status: "passed",
    user_frustration: "none",
    interrupts: 0,
    rejections: 0,
    outcome: "success",
  })
})

test("without a test run nothing is said about tests", () => {
  expect(statsOf(testEvents(says("hello"), ...runs("ls", 0))).tests_final_status).toBe("not_run")
})

const frustration = (...happened: Parameters<typeof testEvents>) => statsOf(testEvents(...happened)).user_frustration
const loop = (command: string) => [...runs(command, 1, command), ...runs(command, 1, command)]

test("the worst message counts, whatever the alphabet says", () => {
  expect(frustration(says("that's wrong"), says("add a test"))).toBe("mild")
  expect(frustration(says("still broken"), says("that's wrong"))).toBe("moderate")
})

test("two moderate messages, or one amid two loops, are severe", () => {
  expect(frustration(says("still broken"), says("it didn't work"))).toBe("severe")
  expect(frustration(says("still broken"), ...loop("npm test"))).toBe("moderate")
  expect(frustration(says("still broken"), ...loop("npm test"), ...loop("npm run build"))).toBe("severe")
})

test("whoever stops the agent is not content: once mild, three times moderate", () => {
  expect(frustration(says("go"), interrupts)).toBe("mild")
  expect(frustration(says("go"), interrupts, interrupts, { ...runs("ls", 0)[1], incident: "refused" })).toBe("moderate")
})

test("stops are counted apart from errors", () => {
  const refused = { ...runs("rm -r x", 1)[1], incident: "refused" as const }
  expect(statsOf(testEvents(interrupts, refused))).toMatchObject({ error_count: 0, interrupts: 1, rejections: 1 })
})
