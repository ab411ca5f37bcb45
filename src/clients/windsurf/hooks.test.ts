import { expect, test } from "vitest"
import { story, testHookClient } from "../hook-client-contract.ts"
import { windsurf } from "./hooks.ts"

const told = (event: string, toolInfo: object) => ({
  event,
  input: { agent_action_name: event, trajectory_id: story.session, execution_id: "e-1", tool_info: toolInfo },
})

testHookClient(windsurf, {
  prompt: (words) => told("pre_user_prompt", { user_prompt: words }),
  turnEnd: told("post_cascade_response", { response: "Done." }),
  lacks: ["cwd", "transcript"],
})

test("events whose answer it could not pass on are ignored", () => {
  const { event, input } = told("pre_run_command", { command_line: story.command, cwd: story.cwd })
  expect(windsurf.read(event, input)).toBeUndefined()
  expect(windsurf.hears).toEqual([])
})
