import { expect, test } from "vitest"
import { statementsOf } from "./graduate.ts"

test("a line that introduces a list is one sentence with it", () => {
  const noted =
    "The queue worker expects:\n- a lease of 30 s;\n- one message at a time.\n\nIt exits on the first poison message"
  expect(statementsOf(noted)).toEqual([
    "The queue worker expects: a lease of 30 s; one message at a time.",
    "It exits on the first poison message.",
  ])
})

test("items without an introduction are separate, but only if there is no prose", () => {
  expect(statementsOf("- Seeds need the migrations\n2. Fixtures are read-only.")).toEqual([
    "Seeds need the migrations.",
    "Fixtures are read-only.",
  ])
  expect(statementsOf("Routes are generated.\n- api/\n  - v1/")).toEqual(["Routes are generated."])
})

test("a wrapped line is one sentence, and a line may contain several", () => {
  expect(statementsOf("The cache is keyed by tenant\nand locale. A miss costs 40 ms.")).toEqual([
    "The cache is keyed by tenant and locale.",
    "A miss costs 40 ms.",
  ])
})

test.each([
  "Tests are green for now.",
  "Blocked until PR #482 is merged.",
  "The importer is still incomplete.",
  "Should use pools in this task.",
  "Same cause as attempt-004.",
  "Next: write the docs",
  "Is the pool exhausted?",
  "CI failed on main.",
  "The key is [withheld].",
  "As [m:4f2a91] says, seeds need the migrations.",
  "Should have read the docs more carefully.",
])("%j is useless once the session is over", (noted) => {
  expect(statementsOf(noted)).toEqual([])
})

test.each([
  "Temporary files are written to .cache/tmp.",
  "Incomplete uploads have to be aborted by the client.",
  "Decision-making is left to the scheduler.",
  "When CI fails on a fork, the secrets are missing.",
])("%j is valid beyond the session", (noted) => {
  expect(statementsOf(noted)).toEqual([noted])
})

test("omitting a sentence also omits what refers to it", () => {
  expect(statementsOf("The login is broken right now. It needs the proxy. The proxy listens on port 8080.")).toEqual([
    "The proxy listens on port 8080.",
  ])
})

test("code and headings are not sentences", () => {
  expect(statementsOf("# Finding\n```ts\nopen(pool)\n```\nThe pool opens lazily.")).toEqual(["The pool opens lazily."])
})
