import { expect, test } from "vitest"
import { story, testHookClient } from "../hook-client-contract.ts"
import { cursor } from "./hooks.ts"

const told = (event: string, fields: object) => ({
  event,
  input: {
    conversation_id: story.session,
    generation_id: "g-1",
    hook_event_name: event,
    cursor_version: "2.4.0",
    workspace_roots: [story.cwd],
    transcript_path: story.transcript,
    ...fields,
  },
})

testHookClient(cursor, {
  start: told("sessionStart", { composer_mode: "agent" }),
  prompt: (prompt) => told("beforeSubmitPrompt", { prompt, attachments: [] }),
  run: told("preToolUse", { tool_name: "Shell", tool_input: { command: story.command } }),
  edit: told("preToolUse", {
    tool_name: "Write",
    tool_input: { file_path: story.file, content: story.newText },
  }),
  read: told("preToolUse", { tool_name: "Read", tool_input: { file_path: story.file } }),
  turnEnd: told("stop", { status: "completed" }),
  sessionEnd: told("sessionEnd", { reason: "user_close" }),
  asks: true,
})

test("its older event before a command is read the same way", () => {
  const { event, input } = told("beforeShellExecution", { command: story.command, cwd: story.cwd })
  expect(cursor.read(event, input)).toMatchObject({ kind: "before-tool", call: { command: story.command } })
})
