import { expect, test } from "vitest"
import { findStatedRules, stateRule } from "./stated-rules.ts"

test("each rule of a message is found in the user's words and as a self-contained sentence", () => {
  const message =
    "Fix the sum, please. From now on, always use pnpm instead of npm. And why is it red? Never push to main."
  expect(findStatedRules(message).map(({ words, text }) => [words, text])).toEqual([
    ["From now on, always use pnpm instead of npm.", "Always use pnpm instead of npm."],
    ["Never push to main.", "Never push to main."],
  ])
})

test("quoted or pasted text, or text about one thing, states no rule", () => {
  expect(findStatedRules('The log says "always use tabs". Undo that.\n```\nNever do this.\n```')).toEqual([])
  expect(findStatedRules("Always show the spinner on this page.")).toEqual([])
})

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
  ["From now on write commit messages in English", "Write commit messages in English."],
  ["From now on all dates are UTC.", "All dates are UTC."],
  ["this project uses vitest", "This project uses vitest."],
  ["Always call the gateway through the proxy", "Always call the gateway through the proxy."],
  ["Never log the names of customers", "Never log the names of customers."],
  ["never commit to main; open a pull request.", "Never commit to main; open a pull request."],
  ["never mock clocks;", "Never mock clocks."],
  ["our database is Postgres", "Our database is Postgres."],
  ["tests live next to the code", "Tests live next to the code."],
  ["Never write tests that hit the network", "Never write tests that hit the network."],
])("%j is a self-contained rule", (said, text) => {
  expect(stateRule(said, undefined)).toEqual({ text, certainty: "stated" })
})

test.each([
  ["migrations always run as migrator", "Migrations always run as migrator."],
  ["check the schema first, always", "Check the schema first, always."],
  ["Note for the future: check the schema first, always", "Check the schema first, always."],
  ["never edit tests without asking me", "Never edit tests without asking the user."],
  ["we are on sqlite in production", "In this project we are on sqlite in production."],
])("%j is a rule if it was meant as one", (said, text) => {
  expect(stateRule(said, "always")).toEqual({ text, certainty: "stated" })
})

test.each([
  ["Remember that our staging server is at staging.example.com", "Our staging server is at staging.example.com."],
  ["Remember: the API rate limit is 100 requests per minute.", "The API rate limit is 100 requests per minute."],
  ["remember that the staging database is read-only", "The staging database is read-only."],
  ["Keep in mind that amounts are integers in cents", "Amounts are integers in cents."],
  ["remember our wiki is at https://wiki.example.com/shop", "Our wiki is at https://wiki.example.com/shop."],
  ["please remember the importer needs a running broker", "The importer needs a running broker."],
  ["don't forget that CI runs on Node 18", "CI runs on Node 18."],
])("%j is a fact to be remembered", (said, text) => {
  expect(stateRule(said, "remember")).toEqual({ text, certainty: "told" })
  expect(stateRule(text, undefined)?.certainty).not.toBe("told")
})

test.each([
  "remember to run the tests after this",
  "remember to run the tests",
  "Remember: run the tests",
  "remember, check the logs are clean",
  "remember the trailing newline",
  "remember our discussion about caching",
  "Remember that the button is blue now",
  "remember that it is slow",
  "keep in mind that you changed the header",
])("%j leaves nothing to remember", (said) => {
  expect(stateRule(said, "remember")).toBeUndefined()
})

test.each(["don't add sleeps", "stop creating summary files"])("%j may have been meant for the moment", (said) => {
  expect(stateRule(said, undefined)?.certainty).toBe("likely")
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
  "we use go-git explicitly in other places to not depend on a checkout",
  "we use lodash elsewhere",
  "from now on do that",
  "never call that function",
  "that's why we always test",
  "always make sure that the very long sentence which was cut in the middle of…",
])("%j ends with the task", (said) => {
  expect(stateRule(said, "always")).toBeUndefined()
})

test("a rule in another language is one when the episode's signals say so", () => {
  expect(stateRule("Ab jetzt bitte immer auf Englisch committen", "always")?.text).toBe(
    "Ab jetzt bitte immer auf Englisch committen.",
  )
  expect(stateRule("以后提交信息都用中文写", "always")?.text).toBe("以后提交信息都用中文写。")
  expect(stateRule("以后提交信息都用中文写", undefined)).toBeUndefined()
  expect(stateRule("Super, danke!", "always")).toBeUndefined()
})
