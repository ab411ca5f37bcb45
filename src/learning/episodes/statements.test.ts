import fc from "fast-check"
import { expect, test } from "vitest"
import { findStatements, ownWords } from "./statements.ts"

function statementsIn(message: string): [kind: string, words: string][] {
  return findStatements(ownWords(message)).map(({ kind, start, end }) => [kind, message.slice(start, end)])
}

test.each([
  ["always", "always run the linter before committing"],
  ["always", "from now on use pnpm"],
  ["always", "there is a venv, use that one. always."],
  ["always", "You should always ask before deleting files"],
  ["always", "every PR needs a changelog entry"],
  ["never", "never push directly to main"],
  ["never", "please don't ever edit generated files"],
  ["never", "don't commit without asking me"],
  ["preference", "I prefer small commits"],
  ["preference", "I don't like default exports"],
  ["fact", "no, that's wrong: we use pnpm here, not npm"],
  ["fact", "this project uses vitest"],
  ["fact", "the convention here is kebab-case"],
  ["remember", "Remember: the API is versioned"],
  ["remember", "keep in mind that the db is shared"],
  ["always", "Bitte immer auf Deutsch antworten"],
  ["never", "In diesem Repo nie ignore_errors benutzen"],
  ["fact", "wir nutzen hier Poetry"],
  ["always", "以后都用中文回答"],
  ["never", "nunca uses any en este proyecto"],
  ["fact", "on utilise pnpm ici"],
  ["preference", "prefiro commits pequenos"],
  ["always", "今後はテストを先に書いてください"],
])("%s: %s", (kind, message) => {
  expect(statementsIn(message).map(([found]) => found)).toEqual([kind])
})

test.each([
  "it always crashes on startup",
  "never mind",
  "I never got this to work",
  "do we always need this?",
  "can we use redis?",
  "use pnpm for now",
  "don't use a regex here",
  "I'd prefer option B",
  "it should always return an array",
  "we use this function in two places, rename it",
  "make sure the tests pass",
  'the docs say "always use tabs"',
])("%s states no rule", (message) => {
  expect(statementsIn(message)).toEqual([])
})

test("the sentence that states the rule is located", () => {
  const message = "Looks good so far. We never push to `main` directly! Thanks"
  expect(statementsIn(message)).toEqual([["never", "We never push to `main` directly!"]])
})

test("a pasted plan states no rules", () => {
  const plan = `Implement the following plan:\n\n# Plan\n\n1. Always render the bullets\n${"2. Never wait\n".repeat(90)}`
  expect(statementsIn(plan)).toEqual([])
})

test("in a list, a rule is at the beginning of its item; a step of a task is not a rule", () => {
  expect(statementsIn("what I want:\n1. parse it\n2. if there is an error, always exit with 1")).toEqual([])
  expect(statementsIn("house rules:\n- never push to main")).toEqual([["never", "never push to main"]])
})

test("every sentence of a message that states a rule is found, up to eight", () => {
  expect(
    statementsIn("Always write tests first. The cart is fine. We use vitest.\n2. never mock the database"),
  ).toEqual([
    ["always", "Always write tests first."],
    ["fact", "We use vitest."],
    ["never", "never mock the database"],
  ])
  expect(statementsIn("Never wait. ".repeat(20)).length).toBe(8)
})

test("text after a semicolon belongs to the rule, unless it states its own", () => {
  expect(statementsIn("Looks fine; never commit to main; open a pull request. Thanks")).toEqual([
    ["never", "never commit to main; open a pull request."],
  ])
  expect(statementsIn("always sort imports; never mock clocks")).toEqual([
    ["always", "always sort imports;"],
    ["never", "never mock clocks"],
  ])
})

test("code, quotations, links and pasted output are not the user's own words", () => {
  const message = [
    'It says "this is useless" and `never do that`, see https://example.com/i-give-up',
    "> how many times",
    "```",
    "always fail",
    "```",
    "TypeError: still broken",
    "    at wtf (a.js:1:2)",
    "2026-03-01 10:00:00 ERROR ugh",
    "$ npm run idiot",
    "please look",
  ].join("\n")
  expect(
    ownWords(message)
      .replace(/[\s_]+/g, " ")
      .trim(),
  ).toBe("It says and , see please look")
})

test("of a long message its beginning and end count, of a document nothing after its heading", () => {
  const plan = `Implement this plan:\n\n# Plan\n\n${"Never mind the rest. ".repeat(100)}`
  expect(ownWords(plan).trim()).toBe("Implement this plan:")
  const pasted = `Look at this\n${"never ".repeat(400)}\nwhat is it about`
  expect(ownWords(pasted)).toContain("Look at this")
  expect(ownWords(pasted)).toContain("what is it about")
  expect(ownWords(pasted).match(/never/g)?.length).toBeLessThan(200)
})

test("every character keeps its position", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("a", " ", "\n", "🦊", "`", '"', ">", "#"), maxLength: 2000 }),
      (message) => {
        expect(ownWords(message).length).toBe(message.length)
      },
    ),
  )
})
