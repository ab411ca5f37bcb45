import { expect, test } from "vitest"
import { story, testHookClient } from "../hook-client-contract.ts"
import { claudeCode } from "./hooks.ts"

const common = (event: string) => ({
  session_id: story.session,
  transcript_path: story.transcript,
  cwd: story.cwd,
  prompt_id: "p-1",
  permission_mode: "default",
  hook_event_name: event,
})
const told = (event: string, fields: object) => ({ event, input: { ...common(event), ...fields } })
const bash = { tool_name: "Bash", tool_input: { command: story.command, description: "Run the tests" } }

testHookClient(claudeCode, {
  start: told("SessionStart", { source: "startup" }),
  resume: told("SessionStart", { source: "resume" }),
  prompt: (prompt) => told("UserPromptSubmit", { prompt }),
  run: told("PreToolUse", { ...bash, tool_use_id: "toolu_1" }),
  edit: told("PreToolUse", {
    tool_name: "Edit",
    tool_input: {
      file_path: story.file,
      old_string: "return week(text)",
      new_string: story.newText,
      replace_all: false,
    },
  }),
  read: told("PreToolUse", { tool_name: "Read", tool_input: { file_path: story.file } }),
  failure: told("PostToolUseFailure", { ...bash, error: `Exit code 1\n${story.error}`, is_interrupt: false }),
  turnEnd: told("Stop", { stop_hook_active: false, last_assistant_message: "Done." }),
  sessionEnd: told("SessionEnd", { reason: "other" }),
  asks: true,
})

test("a notification about a background task is not a prompt", () => {
  const notice = "<task-notification>\n<task-id>a1</task-id>\n<status>completed</status>\n</task-notification>"
  expect(claudeCode.read("UserPromptSubmit", { ...common("UserPromptSubmit"), prompt: notice })).toBeUndefined()
})

test("text that an editor adds before a prompt is removed", () => {
  const prompt = `<ide_opened_file>The user opened a.ts</ide_opened_file>\n${story.prompt}`
  expect(claudeCode.read("UserPromptSubmit", { ...common("UserPromptSubmit"), prompt })).toMatchObject({
    text: story.prompt,
  })
})

test("a call that the user stopped is not a failure", () => {
  const input = { ...common("PostToolUseFailure"), ...bash, error: "aborted", is_interrupt: true }
  expect(claudeCode.read("PostToolUseFailure", input)).toBeUndefined()
})

test("a session start after compacting or clearing has its source", () => {
  for (const source of ["compact", "clear"])
    expect(claudeCode.read("SessionStart", { ...common("SessionStart"), source })).toMatchObject({ source })
})

test("the text goes into the field of the event's own output", () => {
  const event = claudeCode.read("UserPromptSubmit", { ...common("UserPromptSubmit"), prompt: story.prompt })
  const answer = event && claudeCode.answer(event, { kind: "context", text: "Known." })
  expect(JSON.parse(answer ?? "")).toEqual({
    hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: "Known." },
  })
})
