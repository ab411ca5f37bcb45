import { expect, test } from "vitest"
import { findQuote } from "./quotes.ts"
import { assistantSaid, edited, ran, said } from "./test-input.ts"

const events = [
  assistantSaid("I use pnpm, as you like."),
  said("Please use pnpm…", { words: "Please use pnpm:\n  npm “breaks” the lockfile.\n\nAnd don’t push." }),
  ran("npm test", "1 failed", "relation <users> does not exist"),
  edited("src/gen/api.ts"),
  said("use pnpm"),
]

test.each([
  ['use pnpm: npm "breaks" the lockfile', 1],
  ["use pnpm: npm 'breaks'", undefined],
  ['"Please use pnpm:\\n npm”', 1],
  ["Use PNPM … the lockfile", 1],
  ["the lockfile ... use pnpm", undefined],
  ["don't push!", 1],
  ["relation <users> does not exist", 2],
  ["npm test", 2],
  ["src/gen/api.ts", 3],
  ["as you like", 0],
  ["Please use yarn", undefined],
  ["…", undefined],
  ["", undefined],
])("%j is found in event %s", (quote, index) => {
  expect(findQuote(quote, undefined, events)?.index).toBe(index)
})

test("of several events with a quote, the user's counts, and of these the cited one", () => {
  expect(findQuote("use pnpm", undefined, events)?.index).toBe(1)
  expect(findQuote("use pnpm", 4, events)?.index).toBe(4)
  expect(findQuote("use pnpm", 0, events)?.index).toBe(1)
})
