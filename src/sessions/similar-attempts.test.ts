import { expect, test } from "vitest"
import { openStaticEmbedder } from "../index/embedders/static-embedder.ts"
import { findSimilarAttempt, similarityWarning } from "./similar-attempts.ts"
import { attempt, memoryOf } from "./test-entries.ts"

const failure = (id: string, description: string, fields: object = {}) =>
  attempt(id, "09:00", { result: "failure", error: `${id} broke`, description, ...fields })
const memoriesWith = (...attempts: object[]) => new Map([["developer", memoryOf({ attempts })]])
const idsFor = (approach: string, ...attempts: object[]) =>
  findSimilarAttempt(approach, memoriesWith(...attempts)).map(({ attemptId }) => attemptId)

test("a failed attempt at a similar approach is found with its reason and lessons, of any agent", () => {
  const made = failure("attempt-001", "Add a Redis cache for prices", {
    approach: "Store each price for a minute",
    lessons: "Too stale.",
  })
  const memories = memoriesWith(made).set("tester", memoryOf({}, "tester"))
  expect(findSimilarAttempt("Caching the price in Redis", memories)).toEqual([
    {
      agent: "developer",
      attemptId: "attempt-001",
      result: "failure",
      similarity: 1,
      reason: "attempt-001 broke",
      lessons: "Too stale.",
    },
  ])
})

test.each([
  ["Validate tokens by a middleware", "validating the token with middlewares", "other forms of the words"],
  ["Retry.", "retry", "few words, but the same"],
  ["Fix parse in src/cart/read_order.ts", "parse fix in ReadOrder", "a file and a name in it"],
  ["価格を一時保存する", "価格を一時保存", "a script without spaces"],
])("%j is similar to %j (%s)", (approach, description) => {
  expect(idsFor(approach, failure("a", description))).toEqual(["a"])
})

test.each([
  [
    "Write tests for src/auth/token/middleware.ts",
    "Fix a leak in src/auth/token/middleware.ts",
    "only a file in common",
  ],
  ["Rename getUserNameById", "Inline getUserNameById", "only a name in common"],
  ["Use Redis", "Use Redis as the broker of the workers", "two words in common"],
  ["Poll the table every second with a cursor", "Poll the queue and lock rows in order", "too small a part in common"],
  ["the and of with", "the and of with", "nothing but stop words"],
  ["", "", "nothing"],
])("%j is not similar to %j (%s)", (approach, description) => {
  expect(idsFor(approach, failure("a", description))).toEqual([])
})

test("failures come before partial results, the most similar first; successes and open attempts are left out", () => {
  const text = "cache the prices of orders in redis"
  const found = idsFor(
    text,
    attempt("done", "09:00", { description: text }),
    attempt("running", "09:00", { description: text, result: "in_progress" }),
    attempt("partial", "09:00", { description: text, result: "partial" }),
    failure("less", "cache the prices of orders in memory"),
    failure("older", text),
    failure("newer", text),
  )
  expect(found).toEqual(["newer", "older", "less", "partial"])
})

test("with an embedder other words of the same meaning are found", () => {
  const vectors: Record<string, number[]> = {
    "ring me up": [0.6, 0.8],
    "phone them": [0.8, 0.6],
    "write a letter": [-0.6, 0.8],
  }
  const embed = (text: string) => (vectors[text] ? Float32Array.from(vectors[text]) : undefined)
  const memories = memoriesWith(failure("a", "phone them"), failure("b", "write a letter"), failure("c", "unknown"))
  expect(findSimilarAttempt("ring me up", memories, { embed }).map(({ attemptId }) => attemptId)).toEqual(["a"])
  expect(findSimilarAttempt("ring me up", memories, { embed })[0]?.similarity).toBeCloseTo(0.96)
  expect(findSimilarAttempt("not known to it", memories, { embed })).toEqual([])
})

test("the warning is one line and says if it was solved later", () => {
  const text = "Cache prices in Redis"
  const failed = failure("attempt-001", text, { error: "Down.\n## New heading" })
  const [similar] = findSimilarAttempt(
    text,
    memoriesWith(failed, attempt("attempt-002", "10:00", { description: text })),
  )
  expect(similar && similarityWarning(similar)).toBe(
    "⚠ similar to failed attempt-001 (developer): Down. (later solved by attempt-002)",
  )
  const long = { ...failed, error: "x".repeat(500) }
  const [cut] = findSimilarAttempt(text, memoriesWith(long, attempt("attempt-002", "10:00", { description: text })))
  expect(cut && similarityWarning(cut)).toMatch(/: x+… \(later solved by attempt-002\)$/)
  const [partial] = findSimilarAttempt(text, memoriesWith({ ...long, result: "partial" }))
  expect(partial && similarityWarning(partial)).toMatch(/^⚠ similar to partial attempt-001 \(developer\): x+…$/)
})

test.each([
  ["Use Redis for sessions", "Store sessions in Redis", ["a"]],
  ["Use Redis for sessions", "Redis session store", ["a"]],
  ["Upgrade eslint to version 9", "Upgrade eslint", ["a"]],
  ["Implement login endpoint", "Implement logout endpoint", []],
])("by the shipped table, %j and %j are similar or not: %j", (approach, description, expected) => {
  const table = openStaticEmbedder()
  if (table.kind !== "ready") throw new Error(table.reason)
  const found = findSimilarAttempt(approach, memoriesWith(failure("a", description)), {
    embed: table.embedder.embedNow,
  })
  table.embedder.close()
  expect(found.map(({ attemptId }) => attemptId)).toEqual(expected)
})
