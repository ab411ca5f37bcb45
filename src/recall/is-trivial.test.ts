import { expect, test } from "vitest"
import { isTrivial } from "./is-trivial.ts"

test.each(["fix typo in README", "Reformat the imports", "remove the comment above parse()", "fix indentation"])(
  "“%s” is trivial",
  (task) => expect(isTrivial(task)).toBe(true),
)

test.each([
  "Add a refresh token to the login",
  "fix the failing test for comments",
  "Write a parser for comments in the configuration language and hook it up to the reader",
  "",
])("“%s” is not", (task) => expect(isTrivial(task)).toBe(false))
