import { expect, test } from "vitest"
import { isTrivialPrompt } from "./hook-context.ts"

test.each([
  "yes",
  "ok, continue",
  "Looks good, go ahead!",
  "2",
  "/compact",
  "/model opus",
  "thanks!",
  "ja, weiter",
  "👍",
  "no",
])("%s names no task", (words) => expect(isTrivialPrompt(words)).toBe(true))

test.each([
  "Fix the login",
  "yes, and rename the parser",
  "go through the tests again",
  "/fix the token refresh in src/login.ts",
  "Why?!? The build is broken",
  "继续修复登录",
])("%s may be a task", (words) => expect(isTrivialPrompt(words)).toBe(false))
