import { expect, test } from "vitest"
import { retryLoopsOf } from "./retry-loops.ts"
import { edits, reads, runs, testEvents } from "./test-events.ts"

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

test("one failure is no loop, nor are two of different things", () => {
  const events = testEvents(...runs("npm run build", 1, "one thing"), ...runs("git push", 1, "another matter"))
  expect(retryLoopsOf(events)).toEqual([])
})

test("an edit that misses its place again and again is a loop, until it hits", () => {
  const miss = { isError: true, text: "String to replace not found in file." }
  const events = testEvents(...edits("a.ts", miss), ...edits("a.ts", miss), ...edits("a.ts"), ...edits("a.ts", miss))
  expect(retryLoopsOf(events)).toEqual([[1, 3]])
})

test("two files that are not there are no loop, the same file twice is", () => {
  const missing = (file: string) =>
    reads(file).map((event) => ({ ...event, isError: true, text: "File does not exist." }))
  expect(retryLoopsOf(testEvents(...missing("a.ts"), ...missing("b.ts")))).toEqual([])
  expect(retryLoopsOf(testEvents(...missing("a.ts"), ...missing("a.ts")))).toEqual([[1, 3]])
})
