import { expect, test } from "vitest"
import { outcomeOf, retryLoopsOf, statsOf } from "./episode-stats.ts"
import { answers, edits, interrupts, reads, runs, says, testEvents } from "./test-events.ts"

test("stats are computed from the stored events alone", () => {
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

test("without a test run there are no test results", () => {
  expect(statsOf(testEvents(says("hello"), ...runs("ls", 0))).tests_final_status).toBe("not_run")
})

const frustration = (...happened: Parameters<typeof testEvents>) => statsOf(testEvents(...happened)).user_frustration
const loop = (command: string) => [...runs(command, 1, command), ...runs(command, 1, command)]

test("the worst message counts, whatever the alphabetical order", () => {
  expect(frustration(says("that's wrong"), says("add a test"))).toBe("mild")
  expect(frustration(says("still broken"), says("that's wrong"))).toBe("moderate")
})

test("two moderate messages, or one amid two loops, are severe", () => {
  expect(frustration(says("still broken"), says("it didn't work"))).toBe("severe")
  expect(frustration(says("still broken"), ...loop("npm test"))).toBe("moderate")
  expect(frustration(says("still broken"), ...loop("npm test"), ...loop("npm run build"))).toBe("severe")
})

test("stopping the agent shows frustration: once mild, three times moderate", () => {
  expect(frustration(says("go"), interrupts)).toBe("mild")
  expect(frustration(says("go"), interrupts, interrupts, { ...runs("ls", 0)[1], incident: "refused" })).toBe("moderate")
})

test("stops are counted separately from errors", () => {
  const refused = { ...runs("rm -r x", 1)[1], incident: "refused" as const }
  expect(statsOf(testEvents(interrupts, refused))).toMatchObject({ error_count: 0, interrupts: 1, rejections: 1 })
})

const work = [says("add a cart"), ...edits("src/cart.ts")]

test("the assistant's claims prove nothing", () => {
  expect(outcomeOf(testEvents(...work, answers("Done! Everything works perfectly.")))).toBe("uncertain")
})

test("tests that turned green, a command that turned green, thanks: success", () => {
  expect(outcomeOf(testEvents(...work, ...runs("npm test", 1, "x"), ...runs("npm test", 0)))).toBe("success")
  expect(outcomeOf(testEvents(...work, ...runs("npm run build", 1, "x"), ...runs("npm run build", 0)))).toBe("success")
  expect(outcomeOf(testEvents(...work, says("thanks, works now")))).toBe("success")
})

test("another task without open failures is a success, the last of a transcript stays uncertain", () => {
  expect(outcomeOf(testEvents(...work), "task_boundary")).toBe("success")
  expect(outcomeOf(testEvents(...work), "session_end")).toBe("uncertain")
})

test("red tests, a command that failed last, an unresolved loop: failure", () => {
  expect(outcomeOf(testEvents(...work, ...runs("npm test", 1, "x")))).toBe("failure")
  expect(outcomeOf(testEvents(...work, ...runs("npm run build", 1, "x")), "session_end")).toBe("failure")
  const loop = [...runs("npm run build", 1, "x"), ...runs("npm run build", 1, "y"), ...runs("ls", 0)]
  expect(outcomeOf(testEvents(...work, ...loop))).toBe("failure")
})

test("some success and some open failure: partial", () => {
  expect(outcomeOf(testEvents(...work, says("thanks"), ...runs("npm test", 1, "x")))).toBe("partial")
  expect(outcomeOf(testEvents(...work, ...runs("npm run build", 1, "x")), "task_boundary")).toBe("partial")
})

test("an episode that ends with a complaint is not a success", () => {
  expect(outcomeOf(testEvents(...work, ...runs("npm test", 0), says("it's still broken")))).toBe("failure")
})

test("edit, test, edit, test is a loop: edits do not break it", () => {
  const events = testEvents(
    ...runs("npm test", 1, "Tests  1 failed"),
    ...edits("src/cart.ts"),
    ...runs("npm test", 1, "Tests  2 failed"),
    ...edits("src/cart.ts"),
    ...runs("npm test", 1, "Tests  3 failed"),
  )
  expect(retryLoopsOf(events)).toEqual([[1, 5, 9]])
})

test("a success of the same command ends a loop; another command's does not", () => {
  const events = testEvents(
    ...runs("npm test", 1, "one"),
    ...runs("ls", 0),
    ...runs("npm test", 1, "two"),
    ...runs("npm test", 0),
    ...runs("npm test", 1, "three"),
  )
  expect(retryLoopsOf(events)).toEqual([[1, 5]])
})

test("other commands with the same fingerprint belong to the loop", () => {
  const failure = "Error: connect ECONNREFUSED 127.0.0.1:5432"
  const events = testEvents(...runs("npm run migrate", 1, failure), ...runs("node seed.js", 1, failure))
  expect(retryLoopsOf(events)).toEqual([[1, 3]])
})

test("one failure is not a loop, nor are two of different things", () => {
  const events = testEvents(...runs("npm run build", 1, "one thing"), ...runs("git push", 1, "another matter"))
  expect(retryLoopsOf(events)).toEqual([])
})

test("an edit that fails to apply repeatedly is a loop, until it succeeds", () => {
  const miss = { isError: true, text: "String to replace not found in file." }
  const events = testEvents(...edits("a.ts", miss), ...edits("a.ts", miss), ...edits("a.ts"), ...edits("a.ts", miss))
  expect(retryLoopsOf(events)).toEqual([[1, 3]])
})

test("two missing files are not a loop, the same file twice is", () => {
  const missing = (file: string) =>
    reads(file).map((event) => ({ ...event, isError: true, text: "File does not exist." }))
  expect(retryLoopsOf(testEvents(...missing("a.ts"), ...missing("b.ts")))).toEqual([])
  expect(retryLoopsOf(testEvents(...missing("a.ts"), ...missing("a.ts")))).toEqual([[1, 3]])
})
