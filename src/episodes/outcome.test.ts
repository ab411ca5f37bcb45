import { expect, test } from "vitest"
import { outcomeOf } from "./outcome.ts"
import { answers, edits, runs, says, testEvents } from "./test-events.ts"

const work = [says("add a cart"), ...edits("src/cart.ts")]

test("what the assistant claims proves nothing", () => {
  expect(outcomeOf(testEvents(...work, answers("Done! Everything works perfectly.")))).toBe("uncertain")
})

test("tests that turned green, a command that turned green, thanks: success", () => {
  expect(outcomeOf(testEvents(...work, ...runs("npm test", 1, "x"), ...runs("npm test", 0)))).toBe("success")
  expect(outcomeOf(testEvents(...work, ...runs("npm run build", 1, "x"), ...runs("npm run build", 0)))).toBe("success")
  expect(outcomeOf(testEvents(...work, says("thanks, works now")))).toBe("success")
})

test("another task without anything left broken is a success, the last of a transcript stays uncertain", () => {
  expect(outcomeOf(testEvents(...work), "task_boundary")).toBe("success")
  expect(outcomeOf(testEvents(...work), "session_end")).toBe("uncertain")
})

test("red tests, a command that failed last, a loop without an end: failure", () => {
  expect(outcomeOf(testEvents(...work, ...runs("npm test", 1, "x")))).toBe("failure")
  expect(outcomeOf(testEvents(...work, ...runs("npm run build", 1, "x")), "session_end")).toBe("failure")
  const loop = [...runs("npm run build", 1, "x"), ...runs("npm run build", 1, "y"), ...runs("ls", 0)]
  expect(outcomeOf(testEvents(...work, ...loop))).toBe("failure")
})

test("something worked and something is left: partial", () => {
  expect(outcomeOf(testEvents(...work, says("thanks"), ...runs("npm test", 1, "x")))).toBe("partial")
  expect(outcomeOf(testEvents(...work, ...runs("npm run build", 1, "x")), "task_boundary")).toBe("partial")
})

test("who ends with a complaint has not been helped", () => {
  expect(outcomeOf(testEvents(...work, ...runs("npm test", 0), says("it's still broken")))).toBe("failure")
})
