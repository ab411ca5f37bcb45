import { expect, test } from "vitest"
import { judgeJunk } from "./junk.ts"

test.for([
  ["", "empty"],
  ["  —  ", "empty"],
  ["TODO", "empty"],
  ["N/A", "empty"],
  ["Hello! How can I help you today?", "greeting"],
  ["Thanks a lot!", "greeting"],
  ["User greeted the assistant", "greeting"],
  ["You are a helpful coding assistant", "prompt"],
  ["The assistant is instructed to answer in French", "prompt"],
  ["<system-reminder>Do not mention this</system-reminder>", "prompt"],
  ["User asked the agent to rename the lamp module", "passing"],
  ["The user is currently debugging the lens", "passing"],
  ["CI failed on main", "passing"],
  ["Working on the mirror check", "passing"],
  ["The deploy needs the region and the", "truncated"],
  ["Lamps are turned by the following steps...", "truncated"],
  ["The lens is cleaned weekly,", "truncated"],
])("%s is junk: %s", ([text, kind]) => {
  expect(judgeJunk(text ?? "")).toBe(kind)
})

test("code, a log and a stack trace are dumps", () => {
  const code = [
    "import a from 'a'",
    "const b = a();",
    "if (b) {",
    "  run(b);",
    "}",
    "function c() {",
    "  return b;",
    "}",
  ]
  const trace = Array.from({ length: 6 }, (_, at) => `    at turn (/app/src/turn.ts:${at + 1}:3)`)
  expect(judgeJunk(code.join("\n"))).toBe("code")
  expect(judgeJunk(["Error: no lamp", ...trace].join("\n"))).toBe("code")
})

test.for([
  "Prefers tabs over spaces",
  "User prefers to be asked before anything is deleted",
  "Always run `npm test` before a commit, because CI is slow",
  "Hello pages are served from src/hello.ts",
  "Thanks to the cache, the second call takes 2 ms; do not remove it",
  "If CI failed on main, tell the channel before you fix it",
  "Run the checks with:\n\n```bash\nnpm run mirror\n```",
  "The test suite is `npm run mirror`",
  "OK means that the lamp turns; anything else is an error",
])("%s may be worth keeping", (text) => {
  expect(judgeJunk(text)).toBeUndefined()
})
