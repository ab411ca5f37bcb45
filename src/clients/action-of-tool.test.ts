import { expect, test } from "vitest"
import { actionOfTool } from "./action-of-tool.ts"

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
  expect(actionOfTool(name)).toBe(action)
})
