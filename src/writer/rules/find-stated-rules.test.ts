import { expect, test } from "vitest"
import { findStatedRules } from "./find-stated-rules.ts"

test("each rule of a message is found in the person's words and as one that reads by itself", () => {
  const message =
    "Fix the sum, please. From now on, always use pnpm instead of npm. And why is it red? Never push to main."
  expect(findStatedRules(message).map(({ words, text }) => [words, text])).toEqual([
    ["From now on, always use pnpm instead of npm.", "Always use pnpm instead of npm."],
    ["Never push to main.", "Never push to main."],
  ])
})

test("what was quoted, pasted or is about one thing states no rule", () => {
  expect(findStatedRules('The log says "always use tabs". Undo that.\n```\nNever do this.\n```')).toEqual([])
  expect(findStatedRules("Always show the spinner on this page.")).toEqual([])
})
