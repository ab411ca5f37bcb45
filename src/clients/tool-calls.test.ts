import { expect, test } from "vitest"
import { isOwnCommand, isOwnTool, readToolCall, toolAction } from "./tool-calls.ts"

test.each([
  ["Bash", "run"],
  ["PowerShell", "run"],
  ["exec_command", "run"],
  ["run_shell_command", "run"],
  ["runInTerminal", "run"],
  ["copilot_runInTerminal", "run"],
  ["execute_command", "run"],
  ["run_terminal_cmd", "run"],
  ["Edit", "edit"],
  ["MultiEdit", "edit"],
  ["apply_patch", "edit"],
  ["write_to_file", "edit"],
  ["copilot_replaceString", "edit"],
  ["str_replace_editor", "edit"],
  ["Read", "read"],
  ["view", "read"],
  ["list_directory", "read"],
  ["WebFetch", "read"],
  ["Grep", "search"],
  ["search_file_content", "search"],
  ["codebase_search", "search"],
  ["AskUserQuestion", "ask"],
  ["ask_followup_question", "ask"],
  ["ExitPlanMode", "ask"],
  ["TodoWrite", "other"],
  ["Task", "other"],
  ["mcp__files__edit", "other"],
  ["constructor", "other"],
  ["", "other"],
] as const)("%s is to %s", (name, action) => {
  expect(toolAction(name)).toBe(action)
})

test.each([
  "mcp__drey__memory_search",
  "mcp_drey_memory_search",
  "drey-memory_search",
  "drey_memory_search",
  "drey__memory_search",
  "mcp__plugin_team-tools_drey__memory_search",
])("%s is Drey's own", (name) => {
  expect(isOwnTool(name)).toBe(true)
})

test.each(["drey", "mcp__drey", "mcp__plugin_team_drey"])(
  "a plain name of the server or namespace %s is Drey's own",
  (server) => {
    expect(isOwnTool("memory_search", server)).toBe(true)
  },
)

test.each([
  ["memory_search", undefined],
  ["memory_search", "github"],
  ["mcp__dreyfus__memory_search", undefined],
  ["mcp__github__drey-search", undefined],
  ["dreyfus_search", "dreyfus"],
  ["Bash", undefined],
])("%s of %s is not", (name, server) => {
  expect(isOwnTool(name, server)).toBe(false)
})

test("a command line is Drey's own if it does nothing else", () => {
  expect(
    ["drey search x", " drey", "npx drey context --task x | head", "cd /work && npx -y drey why m-1"].map(isOwnCommand),
  ).toEqual([true, true, true, true])
  expect(
    ["dreyfus", "git drey", "drey tidy && npm test", "drey search x\nnpm test", "echo drey", ""].map(isOwnCommand),
  ).toEqual([false, false, false, false, false, false])
})

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
