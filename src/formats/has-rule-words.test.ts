import { expect, test } from "vitest"
import { hasRuleWords } from "./has-rule-words.ts"

test.each(["Always use tabs.", "we NEVER mock", "From now on use pnpm", "going forward: squash"])(
  "%s has them",
  (text) => expect(hasRuleWords(text)).toBe(true),
)

test.each(["Fix the login", "nevertheless it fails", "go forward", ""])("%s has none", (text) =>
  expect(hasRuleWords(text)).toBe(false),
)
