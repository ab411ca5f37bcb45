import { expect, test } from "vitest"
import { story, testHookClient } from "../hook-client-contract.ts"
import { codex } from "./hooks.ts"

const told = (event: string, fields: object) => ({
  event,
  input: {
    session_id: story.session,
    turn_id: "turn-1",
    transcript_path: story.transcript,
    cwd: story.cwd,
    hook_event_name: event,
    model: "gpt-5.5",
    permission_mode: "default",
    ...fields,
  },
})
const bash = { tool_name: "Bash", tool_input: { command: story.command } }
const patch = `*** Begin Patch\n*** Update File: ${story.file}\n@@\n-old\n+${story.newText}\n*** End Patch\n`

testHookClient(codex, {
  start: told("SessionStart", { source: "startup" }),
  resume: told("SessionStart", { source: "resume" }),
  prompt: (prompt) => told("UserPromptSubmit", { prompt }),
  run: told("PreToolUse", bash),
  edit: told("PreToolUse", { tool_name: "apply_patch", tool_input: { command: patch } }),
  read: told("PreToolUse", { tool_name: "view_image", tool_input: { path: story.file } }),
  failure: told("PostToolUse", { ...bash, tool_response: `not ok 1 - weeks\n  ${story.error}\n` }),
  turnEnd: told("Stop", { stop_hook_active: false }),
  sessionEnd: told("SessionEnd", { reason: "other" }),
  asks: false, // it treats such an answer as a failed hook
})

test.each([
  ["passes", "ok 1 - adds\n# pass 1\n# fail 0\n"],
  ["says that it ended well", "Exit code: 0\nWall time: 0 seconds\nOutput:\nerror: none expected\n"],
  ["speaks of errors it has none of", "0 errors, 3 files checked\n"],
])("a command that %s is not a failure", (_, output) => {
  const { event, input } = told("PostToolUse", { ...bash, tool_response: output })
  expect(codex.read(event, input)).toBeUndefined()
})

test("the user is shown a warning that they chose to be asked about", () => {
  const { event, input } = told("PreToolUse", bash)
  const call = codex.read(event, input)
  const answer = call && codex.answer(call, { kind: "warning", text: "Not on Fridays.", ask: true })
  expect(JSON.parse(answer ?? "")).toEqual({
    systemMessage: "Drey · Not on Fridays.",
    hookSpecificOutput: { hookEventName: "PreToolUse", additionalContext: "Not on Fridays." },
  })
})
