import { expect, test } from "vitest"
import { findingsOf, prefilter } from "./findings.ts"
import { answers, edits, interrupts, reads, runs, says, testEpisode, testEvents } from "./test-events.ts"

const kinds = (...happened: Parameters<typeof testEvents>) =>
  findingsOf(testEvents(...happened)).map(({ kind }) => kind)

test("failures that the same command's success ended are found with the changes before it", () => {
  const events = testEvents(
    says("make it build"),
    ...runs("npm run build", 1, "error: no such table"),
    ...runs("npm run build", 1, "error: no such table"),
    ...edits("src/a.ts"),
    ...runs("npm run build", 0),
  )
  expect(findingsOf(events)).toEqual([
    {
      kind: "failure_then_success",
      head: "npm run build",
      fingerprint: "error: no such table",
      failures: [2, 4],
      success: 8,
      edits: [6],
    },
  ])
})

test("a failure that recurs afterwards was not solved", () => {
  const failure = "error: no such table"
  expect(
    kinds(...runs("npm run build", 1, failure), ...runs("npm run build", 0), ...runs("node seed.js", 1, failure)),
  ).toEqual([])
})

test("an edit that first failed to apply teaches nothing", () => {
  expect(kinds(...edits("a.ts", { isError: true, text: "not found" }), ...edits("a.ts"))).toEqual([])
})

test("a correction is one after an action", () => {
  expect(kinds(says("add a cart"), ...edits("src/cart.ts"), says("no, in the other file"))).toEqual(["user_correction"])
  expect(
    kinds(
      says("where is the cart?"),
      ...reads("src/cart.ts"),
      answers("Here."),
      says("not that, where are its tests?"),
    ),
  ).toEqual([])
  expect(kinds(says("no, wait, use the other repository"))).toEqual([])
})

test("a no to the assistant's question is an answer; more than that corrects", () => {
  const asked = [says("add a cart"), ...edits("src/cart.ts"), answers("Shall I commit it?")]
  expect(kinds(...asked, says("no, not yet"))).toEqual([])
  expect(kinds(...asked, says("no, that's wrong, it belongs into src/shop"))).toEqual(["user_correction"])
  expect(kinds(...asked, says("you forgot the tests"))).toEqual(["user_correction"])
})

const done = [says("add a cart"), ...edits("src/cart.ts"), answers("The cart is in src/cart.ts.")]

test.each([
  "is it also used on the start page?",
  "could you add a test for it?",
  "thanks, commit and push",
  "now run the tests",
  "great, do the same for the wishlist",
  "danke, jetzt bitte noch die Doku",
  "gracias, ahora los tests",
])("what continues the work is not a correction: %s", (said) => {
  expect(kinds(...done, says(said))).toEqual([])
})

test.each(["The total should be bold, not the label.", "Do not show the tax in the cart"])(
  "what the work should have been is a correction, whatever it begins with: %s",
  (said) => {
    expect(kinds(...done, says(said))).toEqual(["user_correction"])
  },
)

test("stopping the agent and naming another way corrects, in plain words too; sending the same again does not", () => {
  const stopped = [says("fix the failing test"), ...edits("src/cart.ts"), interrupts]
  expect(kinds(...stopped, says("fix the test, the code is right"))).toEqual(["user_correction"])
  expect(kinds(...stopped, says("continue"))).toEqual([])
  expect(kinds(...stopped, says("fix the failing test, it is not the parser's"))).toEqual([])
})

test("a correction that is sent again with more words is one correction, the last", () => {
  const done = [says("print the name"), ...edits("src/a.ts")]
  const first = says("instead of the name print the id")
  const events = testEvents(...done, first, interrupts, says("instead of the name print the id, in brackets"))
  expect(findingsOf(events)).toEqual([{ kind: "user_correction", event: 5, after: 4 }])
})

test("consecutive messages answer one turn", () => {
  const events = testEvents(
    says("add a cart"),
    ...edits("src/cart.ts"),
    says("yes, like that"),
    says("you forgot the tests"),
  )
  expect(findingsOf(events)).toEqual([{ kind: "user_correction", event: 4, after: 1 }])
})

test("the first message of an episode may correct what the one before did", () => {
  const events = testEvents(says("no, keep the old name"))
  expect(findingsOf(events)).toEqual([])
  expect(findingsOf(events, true)).toEqual([{ kind: "user_correction", event: 0, after: 0 }])
})

test("an explicit rule is found once, however often it is sent", () => {
  expect(kinds(says("we use pnpm here"), answers("ok"), says("we use pnpm here"))).toEqual(["explicit_statement"])
})

const filtered = (
  happened: Parameters<typeof testEvents>,
  given: Parameters<typeof testEpisode>[1] = {},
  isOn = true,
) => {
  const events = testEvents(...happened)
  return prefilter(testEpisode(events, given), findingsOf(events), isOn).kind
}

test("an episode with too few events, or only reading, is skipped", () => {
  expect(filtered([says("hi"), answers("hello")])).toBe("skip")
  expect(filtered([says("where is it?"), ...reads("a.ts"), answers("here")])).toBe("skip")
})

test("work is kept, and so is talk without calls", () => {
  expect(filtered([says("add a cart"), ...edits("a.ts")])).toBe("keep")
  expect(filtered([says("why is it slow?"), answers("it sorts"), says("ok"), answers("yes")])).toBe("keep")
})

test("a correction, a rule, an error, red tests, frustration or an explicit flush is never skipped", () => {
  expect(filtered([...edits("a.ts"), says("no, the other file")])).toBe("keep")
  expect(filtered([says("we use pnpm here")])).toBe("keep")
  expect(filtered(runs("npm run build", 1, "x"))).toBe("keep")
  expect(filtered(runs("npm test | tail", 0, " Tests  1 failed (1)"))).toBe("keep")
  expect(filtered([says("hmm")])).toBe("keep")
  expect(filtered([says("hi")], { flushReason: "explicit" })).toBe("keep")
})

test("switched off, it keeps everything", () => {
  expect(filtered([says("hi")], {}, false)).toBe("keep")
})
