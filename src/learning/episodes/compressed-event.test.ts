import { expect, test } from "vitest"
import { canaries } from "../../../test/canaries.ts"
import type { TranscriptEvent } from "../../formats/client-events.ts"

import { unwrapCommands } from "../../formats/shell-command.ts"
import { compressEvent, isError } from "./compressed-event.ts"
import { testEvent, testEvents } from "./test-events.ts"

const root = "/work/shop"

test("a tool's result has the role of a tool, even if the client sends it as the user", () => {
  const result = testEvent({
    role: "user",
    kind: "tool_result",
    tool: "Bash",
    action: "run",
    text: "no, wrong",
    exitCode: 0,
  })
  expect(compressEvent(result, root)).toMatchObject({ role: "tool" })
  expect(compressEvent(result, root)).not.toHaveProperty("opener")
})

test("the failure of a call survives being stored", () => {
  const [event] = testEvents({
    role: "tool",
    kind: "tool_result",
    tool: "Edit",
    action: "edit",
    text: "No match",
    isError: true,
  })
  expect(JSON.parse(JSON.stringify(event))).toMatchObject({ is_error: true, fingerprint: "no match" })
})

test("a text keeps 200 code points, not 50 and not half a character", () => {
  const [event] = testEvents({ text: "🦊".repeat(300) })
  expect([...(event?.summary ?? "")].length).toBe(200)
  expect(event?.summary).toMatch(/^🦊+…$/u)
})

test("a failed command is described with its head, its exit code, the most informative line, and a fingerprint", () => {
  const [event] = testEvents({
    role: "tool",
    kind: "tool_result",
    tool: "Bash",
    action: "run",
    command: "cd /work/shop && npm run build",
    exitCode: 2,
    text: `> shop@1.0.0 build\n${"bundling\n".repeat(40)}/work/shop/src/cart.ts(3,4): error TS2322: Type 'a' is not 'b'\n`,
  })
  expect(event).toMatchObject({
    command: "cd . && npm run build",
    head: "npm run build",
    exit_code: 2,
    is_error: true,
    raw_snippet: "src/cart.ts(3,4): error TS2322: Type 'a' is not 'b'",
    fingerprint: "cart.ts: error ts#: type <text> is not <text>",
  })
})

test("a failed test run behind a pipe is recognised, although nothing marks it as an error", () => {
  const [event] = testEvents({
    role: "tool",
    kind: "tool_result",
    tool: "Bash",
    action: "run",
    command: "npm test 2>&1 | tail -5",
    exitCode: 0,
    text: " Tests  1 failed | 3 passed (4)",
  })
  expect(event).toMatchObject({ test: "failed", head: "npm test" })
  expect(event).not.toHaveProperty("is_error")
})

test("files are named by their paths; their content is not kept", () => {
  const events = testEvents(
    {
      role: "tool",
      kind: "tool_result",
      tool: "Read",
      action: "read",
      files: ["/work/shop/src/cart.ts"],
      text: "CONTENT\nof it\n",
    },
    {
      role: "tool",
      kind: "tool_result",
      tool: "Bash",
      action: "run",
      command: "cat src/cart.ts",
      exitCode: 0,
      text: "CONTENT\nof it\n",
    },
  )
  expect(events[0]).toMatchObject({ file: "src/cart.ts", summary: "2 lines" })
  expect(JSON.stringify(events)).not.toContain("CONTENT")
})

test("no secret is kept, in any part of an event", () => {
  const secret = canaries["access token"]["GitHub ghp"]?.() ?? ""
  const far = `${"x ".repeat(400)}\nerror: bad token ${secret}`
  const events = testEvents(
    { text: `from now on use ${secret}` },
    { role: "assistant", text: secret },
    { role: "assistant", kind: "tool_call", tool: "Bash", action: "run", command: `GH_TOKEN=${secret} gh pr list` },
    {
      role: "tool",
      kind: "tool_result",
      tool: "Bash",
      action: "run",
      command: `curl -H ${secret}`,
      text: far,
      exitCode: 1,
    },
  )
  expect(JSON.stringify(events)).not.toContain(secret.slice(0, 16))
  expect(JSON.stringify(events).toLowerCase()).not.toContain(secret.slice(8, 20).toLowerCase())
})

test("a message has its signals, and the rule it states if that is not at its beginning", () => {
  const [event] = testEvents({
    text: `No, that's wrong. ${"The cart is fine. ".repeat(15)}We never push to main directly.`,
  })
  expect(event).toMatchObject({
    opener: "correction",
    frustration: "mild",
    statement: "never",
    raw_snippet: "We never push to main directly.",
  })
})

test("of several rules in a message, those that fit are kept together", () => {
  const rules = ["- Always write tests first", "- never mock the database;", "- We use vitest."]
  const [event] = testEvents({ text: `House rules:\n${rules.join("\n")}\n\nNow fix the cart.` })
  expect(event).toMatchObject({
    statement: "always",
    raw_snippet: "Always write tests first. never mock the database. We use vitest.",
  })
  const long = "Never mock clocks, queues, mailers, caches or any other service of ours in the tests of the invoices."
  const [full] = testEvents({ text: `Fine so far. ${long} Always sort imports. ${long}` })
  expect(full).toMatchObject({ raw_snippet: `${long} Always sort imports.` })
})

test("a rule on a separate line is kept apart from what follows", () => {
  const [event] = testEvents({ text: "always sort imports\nthe cart is broken" })
  expect(event).toMatchObject({ summary: "always sort imports the cart is broken", raw_snippet: "always sort imports" })
  const [alone] = testEvents({ text: "always sort imports" })
  expect(alone).not.toHaveProperty("raw_snippet")
})

test("marks, incidents, contexts, citations and branches are passed on", () => {
  const [cleared, stopped, told, cited] = testEvents(
    { kind: "mark", mark: "clear" },
    { kind: "mark", incident: "interrupted" },
    { text: "go", contexts: ["t-1"], branch: "main" },
    { role: "assistant", text: "[m:4f2a91] helped. Shall I go on?", cites: ["m:4f2a91"] },
  )
  expect(cleared).toMatchObject({ kind: "mark", mark: "clear" })
  expect(stopped).toMatchObject({ kind: "mark", incident: "interrupted" })
  expect(told).toMatchObject({ contexts: ["t-1"], branch: "main" })
  expect(cited).toMatchObject({ cites: ["m:4f2a91"], asks: true })
})

test("hostile texts take no extra time", () => {
  const pieces = [
    "a ",
    "no ",
    "you keep ",
    "not ",
    '"',
    "`",
    "```",
    "\n",
    " \n",
    "key ",
    "a/",
    "a:1: ",
    "1 failed ",
    "\u001b[0m",
    "不",
  ]
  testEvents({ text: "so that every pattern is compiled" })
  const start = process.cpuUsage()
  for (const piece of pieces) {
    const text = `${piece.repeat(6000 / piece.length)}x`
    testEvents(
      { text },
      { role: "assistant", kind: "tool_call", tool: "Bash", action: "run", command: text },
      { role: "tool", kind: "tool_result", tool: "Bash", action: "run", command: "npm test | tail", text, exitCode: 1 },
      { role: "tool", kind: "tool_result", tool: "ask", action: "other", text },
    )
  }
  expect(process.cpuUsage(start).user / 1000 / pieces.length).toBeLessThan(150)
})

function fails(given: Partial<TranscriptEvent>): boolean {
  const result = testEvent({ role: "tool", kind: "tool_result", tool: "Bash", action: "run", ...given })
  return isError(result, unwrapCommands(given.command ?? ""))
}

test("an exit code decides", () => {
  expect(fails({ exitCode: 2, text: "all fine" })).toBe(true)
  expect(fails({ exitCode: 0, text: "error: not really", isError: true })).toBe(false)
})

test("without one, the exit code in the log counts, and error text does not override it", () => {
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
])("without either, the text decides: %j", (text) => {
  expect(fails({ text: `some output\n${text}\n` })).toBe(true)
})

test.each([
  "0 errors, 3 warnings",
  "Errors: 0",
  "12 passed, 0 failed",
  "No error was found",
  "Error handling was improved",
  "the error: a short story", // not at the beginning of a line, and prose
])("and this is not an error: %j", (text) => {
  expect(fails({ text })).toBe(false)
})

test("the content of files and logs is not an error, whatever tool or command shows it", () => {
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
])("a rule of the client is not a failure of the work: %j", (text) => {
  expect(fails({ isError: true, action: "edit", text })).toBe(false)
})

test("a call that the user refused or stopped is not an error", () => {
  expect(fails({ isError: true, incident: "refused", text: "error" })).toBe(false)
  expect(fails({ exitCode: 137, incident: "interrupted" })).toBe(false)
})
