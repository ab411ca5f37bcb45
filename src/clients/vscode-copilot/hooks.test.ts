import { story, testHookClient } from "../hook-client-contract.ts"
import { vscodeCopilot } from "./hooks.ts"

const told = (event: string, fields: object) => ({
  event,
  input: {
    sessionId: story.session,
    hookEventName: event,
    timestamp: "2026-11-15T20:05:38.374Z",
    cwd: story.cwd,
    transcript_path: story.transcript,
    ...fields,
  },
})
const run = { tool_name: "run_in_terminal", tool_input: { command: story.command } }

testHookClient(vscodeCopilot, {
  start: told("SessionStart", { source: "new" }),
  prompt: (prompt) => told("UserPromptSubmit", { prompt }),
  run: told("PreToolUse", run),
  edit: told("PreToolUse", {
    tool_name: "replace_string_in_file",
    tool_input: { filePath: story.file, oldString: "a", newString: story.newText },
  }),
  read: told("PreToolUse", { tool_name: "read_file", tool_input: { filePath: story.file } }),
  failure: told("PostToolUse", { ...run, tool_response: `${story.error}\nCommand exited with code 1\n` }),
  turnEnd: told("Stop", { stop_hook_active: false }),
  asks: true,
})
