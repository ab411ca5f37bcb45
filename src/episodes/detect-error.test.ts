import { expect, test } from "vitest"
import type { TranscriptEvent } from "../clients/transcript-event.ts"
import { unwrapCommands } from "../formats/commands/unwrap-command.ts"
import { isError } from "./detect-error.ts"
import { testEvent } from "./test-events.ts"

function fails(given: Partial<TranscriptEvent>): boolean {
  const result = testEvent({ role: "tool", kind: "tool_result", tool: "Bash", action: "run", ...given })
  return isError(result, unwrapCommands(given.command ?? ""))
}

test("an exit code has the last word", () => {
  expect(fails({ exitCode: 2, text: "all fine" })).toBe(true)
  expect(fails({ exitCode: 0, text: "error: not really", isError: true })).toBe(false)
})

test("without one, the log's own word counts, and error text does not outweigh it", () => {
  expect(fails({ isError: true, action: "edit", text: "String to replace not found in file." })).toBe(true)
  expect(fails({ isError: false, text: "error: printed by a test that provokes it" })).toBe(false)
})

test.each([
  "Error: Cannot find module 'x'",
  "error TS2345: Argument of type",
  "src/a.ts(3,4): error TS2345: Argument",
  "src/main.c:3:4: error: expected ';'",
  "error[E0425]: cannot find value",
  "fatal: not a git repository",
  'Traceback (most recent call last):\n  File "a.py", line 1\nValueError: no',
  "java.lang.IllegalStateException: closed",
  "bash: foo: command not found",
  "ls: /nowhere: No such file or directory",
  "npm ERR! missing script: lint",
  "thread 'main' panicked at src/main.rs:2",
  "FAILED tests/test_cart.py::test_sum - assert 1 == 2",
  "'foo' is not recognized as an internal or external command",
])("where neither is told, text tells: %j", (text) => {
  expect(fails({ text: `some output\n${text}\n` })).toBe(true)
})

test.each([
  "0 errors, 3 warnings",
  "Errors: 0",
  "12 passed, 0 failed",
  "No error was found",
  "Error handling was improved",
  "the error: a short story", // not at the beginning of a line, and prose
])("and this is none: %j", (text) => {
  expect(fails({ text })).toBe(false)
})

test("the content of files and logs is no error, whatever tool or command shows it", () => {
  const text = "Error: something that happened long ago\nTraceback (most recent call last):"
  for (const action of ["read", "search"] as const) expect(fails({ action, text })).toBe(false)
  for (const command of [
    "cat app.log",
    "tail -50 log | grep -i error",
    "git show HEAD",
    "docker logs web",
    "Get-Content a.log",
  ])
    expect(fails({ command, text })).toBe(false)
  expect(fails({ command: "node app.js", text })).toBe(true)
})

test("a search that finds nothing, a test of a file, a difference: exit 1 is an answer", () => {
  for (const command of [
    "grep foo src/a.ts",
    "rg foo",
    "ls | grep foo",
    "test -f x && echo yes",
    "which foo",
    "command -v foo",
    "git grep foo",
  ])
    expect(fails({ command, exitCode: 1, text: "" })).toBe(false)
  expect(fails({ command: "diff a b", exitCode: 1, text: "1c1\n< a\n---\n> b\n".repeat(20) })).toBe(false)
  expect(fails({ command: "grep foo nowhere", exitCode: 2, text: "grep: nowhere: No such file or directory" })).toBe(
    true,
  )
  expect(
    fails({ command: "npm test | grep foo && npm run build", exitCode: 1, text: `${"x".repeat(80)}\nerror` }),
  ).toBe(true)
})

test.each([
  "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>",
  "File has been modified since read, either by the user or by a linter.",
  "Claude requested permissions to use Bash, but you haven't granted it yet.",
  "Cancelled: parallel tool call Bash errored",
])("a rule of the client is no failure of the work: %j", (text) => {
  expect(fails({ isError: true, action: "edit", text })).toBe(false)
})

test("what the person refused or stopped is no error", () => {
  expect(fails({ isError: true, incident: "refused", text: "error" })).toBe(false)
  expect(fails({ exitCode: 137, incident: "interrupted" })).toBe(false)
})
