import { expect, test } from "vitest"
import { failedOutput, textForUser } from "./hook-event.ts"

test.each([
  "src/a.ts:3:7: error TS2304: Cannot find name 'x'.",
  'Traceback (most recent call last):\n  File "a.py", line 1',
  "sh: 1: pnpm: command not found",
  "npm ERR! code ELIFECYCLE",
  "error[E0308]: mismatched types",
  "not ok 1 - adds",
  "FAILED tests/test_sum.py::test_adds",
  "TypeError: undefined is not a function",
  "all is well\nCommand exited with code 2",
  "Exit code: 1\nWall time: 1 seconds\nOutput:\nnothing to see",
])("%s is the output of a failed command", (output) => expect(failedOutput("Bash", output)).toBe(output))

test.each([
  "Compiled successfully.\n0 errors",
  "ok 1 - an error is told\n# fail 0",
  "Process exited with code 0\nerror: a fixture's",
  "docs/errors.md: about TypeError and others",
])("%s is not the output of a failed command", (output) => expect(failedOutput("Bash", output)).toBeUndefined())

test("only commands are checked", () => {
  expect(failedOutput("read_file", "TypeError: quoted in a file")).toBeUndefined()
})

test("the user sees Drey's name, and the text without its wrapper", () => {
  const text = '<drey-context task="t-0a1b2c3d">\nAbout this call.\n\n> Use <b>\n\n</drey-context>'
  expect(textForUser(text)).toBe("Drey · About this call.\n\n> Use <b>")
})
