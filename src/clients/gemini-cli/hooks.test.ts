import { expect, test } from "vitest"
import { story, testHookClient } from "../hook-client-contract.ts"
import { geminiCli } from "./hooks.ts"

const told = (event: string, fields: object) => ({
  event,
  input: {
    session_id: story.session,
    transcript_path: story.transcript,
    cwd: story.cwd,
    hook_event_name: event,
    timestamp: "2026-11-15T20:05:38.374Z",
    ...fields,
  },
})
const run = { tool_name: "run_shell_command", tool_input: { command: story.command, description: "Run the tests" } }
const output = (text: string, code: number) =>
  `<untrusted_context>\nOutput: ${text}\nExit Code: ${code}\nProcess Group PGID: 4176\n</untrusted_context>`

testHookClient(geminiCli, {
  start: told("SessionStart", { source: "startup" }),
  resume: told("SessionStart", { source: "resume" }),
  prompt: (prompt) => told("BeforeAgent", { prompt }),
  run: told("BeforeTool", run),
  edit: told("BeforeTool", {
    tool_name: "replace",
    tool_input: { file_path: story.file, instruction: "weeks", old_string: "a", new_string: story.newText },
  }),
  read: told("BeforeTool", { tool_name: "read_file", tool_input: { file_path: story.file } }),
  success: told("AfterTool", { ...run, tool_response: { llmContent: output("error: 0", 0), returnDisplay: "" } }),
  failure: told("AfterTool", { ...run, tool_response: { llmContent: output(story.error, 1), returnDisplay: "" } }),
  turnEnd: told("AfterAgent", { prompt: story.prompt, prompt_response: "Done.", stop_hook_active: false }),
  sessionEnd: told("SessionEnd", { reason: "exit" }),
  asks: true,
})

test("the context of the session start is removed from the prompt", () => {
  const { event, input } = told("BeforeAgent", { prompt: `<hook_context>CANARY</hook_context>\n\n${story.prompt}` })
  expect(geminiCli.read(event, input)).toMatchObject({ text: story.prompt })
})

test("a missing file is a failure", () => {
  const gone = told("AfterTool", {
    tool_name: "read_file",
    tool_input: { file_path: "src/gone.ts" },
    tool_response: { llmContent: "Could not read.", error: { message: "File not found: src/gone.ts" } },
  })
  expect(geminiCli.read(gone.event, gone.input)).toMatchObject({ error: "File not found: src/gone.ts" })
})

test("a warning before a call is for the user, after it for the model", () => {
  const text = '<drey-context task="t-0a1b2c3d">\n> Use pnpm\n\n</drey-context>'
  const answerTo = (event: string) => {
    const { input } = told(event, { ...run, tool_response: { llmContent: output("", 0) } })
    const read = geminiCli.read(event, input)
    return read && JSON.parse(geminiCli.answer(read, { kind: "warning", text, ask: false }))
  }
  expect(answerTo("BeforeTool")).toEqual({ systemMessage: "Drey · > Use pnpm" })
  const hookSpecificOutput = { hookEventName: "AfterTool", additionalContext: text }
  expect(answerTo("AfterTool")).toEqual({ hookSpecificOutput })
})
