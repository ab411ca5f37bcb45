import { expect, test } from "vitest"
import { story, testHookClient } from "../hook-client-contract.ts"
import { cline } from "./hooks.ts"

const told = (event: string, fields: object) => ({
  event,
  input: {
    clineVersion: "3.40.0",
    hookName: event,
    timestamp: "1794773234625",
    taskId: story.session,
    workspaceRoots: [story.cwd],
    userId: "u",
    ...fields,
  },
})
const run = { toolName: "execute_command", parameters: { command: story.command } }

testHookClient(cline, {
  start: told("TaskStart", { taskStart: { taskMetadata: { initialTask: story.prompt } } }),
  resume: told("TaskResume", { taskResume: {} }),
  prompt: (prompt) => told("UserPromptSubmit", { userPromptSubmit: { prompt, attachments: [] } }),
  run: told("PreToolUse", { preToolUse: run }),
  edit: told("PreToolUse", {
    preToolUse: { toolName: "write_to_file", parameters: { path: story.file, content: story.newText } },
  }),
  read: told("PreToolUse", { preToolUse: { toolName: "read_file", parameters: { path: story.file } } }),
  failure: told("PostToolUse", { postToolUse: { ...run, result: story.error, success: false } }),
  sessionEnd: told("TaskComplete", { taskComplete: {} }),
  lacks: ["transcript"],
  asks: false,
})

test("a successful call is not a failure", () => {
  const { event, input } = told("PostToolUse", { postToolUse: { ...run, result: story.error, success: true } })
  expect(cline.read(event, input)).toBeUndefined()
})
