import { expect, test } from "vitest"
import { sentencesOf, stateRule } from "./state-rule.ts"

test.each([
  ["no, we use pnpm here, not npm", "This project uses pnpm, not npm."],
  ["that's wrong: we don't use mocks for the database", "This project does not use mocks for the database."],
  ["please make sure you always run `pnpm lint` before you commit", "Always run `pnpm lint` before you commit."],
  ["Remember: never run migrations by hand!", "Never run migrations by hand."],
  ["from now on, commit messages must start with the area", "Commit messages must start with the area."],
  ["i prefer early returns over nested ifs", "The user prefers early returns over nested ifs."],
  [
    "we should be using strong types instead of strings wherever we can",
    "In this project we should be using strong types instead of strings wherever we can.",
  ],
  ["no console logs in production code", "No console logs in production code."],
  ["stop using default exports", "Stop using default exports."],
])("%j is a rule that reads by itself", (said, text) => {
  expect(stateRule(said, false)).toEqual({ text, certainty: "stated" })
})

test.each([
  ["migrations always run as migrator", "Migrations always run as migrator."],
  ["check the schema first, always", "Check the schema first, always."],
  ["never edit tests without asking me", "Never edit tests without asking the user."],
  ["we are on sqlite in production", "In this project we are on sqlite in production."],
])("%j is a rule when it was meant as one", (said, text) => {
  expect(stateRule(said, true)).toEqual({ text, certainty: "stated" })
})

test.each(["don't add sleeps", "stop creating summary files"])("%j may have been meant for the moment", (said) => {
  expect(stateRule(said, false)?.certainty).toBe("likely")
})

test.each([
  "no, the other one",
  "no, line 40 should use the id",
  "that button is wrong",
  "use the blue icon instead of the red one",
  "use a feed-forward term instead of the hack",
  "don't create a pr, just a commit",
  "you forgot the header row",
  "I never said to drop empty lines",
  "we don't need that any more",
  "never mind",
  "the login tests never pass in CI",
  "it always fails on my machine",
  "should we always use tabs?",
  "can you always run the linter",
  "this file should never be committed for now",
  "let's never do it like that",
  "always use https://example.com/x as the base",
  "always render the list when it is empty",
  "always make sure that the very long sentence which was cut in the middle of…",
])("%j is over with the task", (said) => {
  expect(stateRule(said, true)).toBeUndefined()
})

test("a rule in another language is one when the episode's signals say so", () => {
  expect(stateRule("Ab jetzt bitte immer auf Englisch committen", true)?.text).toBe(
    "Ab jetzt bitte immer auf Englisch committen.",
  )
  expect(stateRule("以后提交信息都用中文写", true)?.text).toBe("以后提交信息都用中文写。")
  expect(stateRule("以后提交信息都用中文写", false)).toBeUndefined()
  expect(stateRule("Super, danke!", true)).toBeUndefined()
})

test("a message is cut into sentences, behind colons, and where it comes to what we do", () => {
  expect(
    sentencesOf("No. Accounting wants banker's rounding, we always use ROUND_HALF_EVEN\n- note that: second point"),
  ).toEqual([
    "No.",
    "Accounting wants banker's rounding,",
    "we always use ROUND_HALF_EVEN",
    "note that:",
    "second point",
  ])
})
