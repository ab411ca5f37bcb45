import { expect, test } from "vitest"
import { readToolCall } from "./read-tool-call.ts"

test("calls that read, search or ask are ignored, and so are Drey's own tools", () => {
  for (const tool of ["Read", "grep_search", "AskUserQuestion", "mcp__drey__memory_write", "drey_memory_search"])
    expect(readToolCall(tool, { path: "a.ts", command: "x" })).toBeUndefined()
})

test("a patch is an edit of the files it names, wherever it is in the input", () => {
  const patch = "*** Begin Patch\n*** Add File: src/a.ts\n+one\n*** Update File: src/b.ts\n+two\n*** End Patch\n"
  for (const input of [{ command: patch }, { input: patch }, { patch }, patch])
    expect(readToolCall("apply_patch", input)).toEqual({
      tool: "apply_patch",
      command: undefined,
      paths: ["src/a.ts", "src/b.ts"],
      text: patch,
    })
})

test("several edits in one call are joined, up to four thousand characters", () => {
  const edits = [{ new_string: "first" }, { new_string: "x".repeat(5000) }]
  const call = readToolCall("MultiEdit", { file_path: "src/a.ts", edits })
  expect(call?.text?.startsWith("first\nxxx")).toBe(true)
  expect(call?.text).toHaveLength(4000)
})

test("an MCP tool is read with its command, if it has one", () => {
  expect(readToolCall("mcp__shell__execute", { command: "make" })).toMatchObject({ command: "make" })
  expect(readToolCall("mcp__tracker__list", {})).toMatchObject({ command: undefined, paths: [], text: undefined })
})
