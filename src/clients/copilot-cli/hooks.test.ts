import { expect, test } from "vitest"
import { story, testHookClient } from "../hook-client-contract.ts"
import { copilotCli } from "./hooks.ts"

const told = (event: string, fields: object) => ({
  event,
  input: { sessionId: story.session, timestamp: 1794773234625, cwd: story.cwd, ...fields },
})
const bash = { toolName: "bash", toolArgs: { command: story.command, description: "Run the tests" } }
const ended = (code: number) => ({
  toolResult: {
    resultType: "success",
    textResultForLlm: `${story.error}\n<shellId: 0 completed with exit code ${code}>`,
  },
})

testHookClient(copilotCli, {
  start: told("sessionStart", { source: "new", initialPrompt: story.prompt }),
  resume: told("sessionStart", { source: "resume" }),
  prompt: (prompt) => told("userPromptSubmitted", { prompt }),
  run: told("preToolUse", bash),
  edit: told("preToolUse", {
    toolName: "edit",
    toolArgs: { path: story.file, old_str: "a", new_str: story.newText },
  }),
  read: told("preToolUse", { toolName: "view", toolArgs: { path: story.file } }),
  failure: told("postToolUse", { ...bash, ...ended(1) }),
  turnEnd: told("agentStop", { stopReason: "end_turn" }),
  sessionEnd: told("sessionEnd", { reason: "complete" }),
  lacks: ["transcript"],
  asks: true,
})

test("a successful command is not a failure, a tool that reports an error is one", () => {
  const well = told("postToolUse", { ...bash, ...ended(0) })
  expect(copilotCli.read(well.event, well.input)).toBeUndefined()
  const failed = told("postToolUseFailure", { toolName: "edit", toolArgs: { path: "a.ts" }, error: "No match found" })
  expect(copilotCli.read(failed.event, failed.input)).toMatchObject({ kind: "after-failure", error: "No match found" })
})

test("arguments as JSON within JSON are read", () => {
  const { event, input } = told("preToolUse", { toolName: "bash", toolArgs: JSON.stringify({ command: "make" }) })
  expect(copilotCli.read(event, input)).toMatchObject({ call: { command: "make" } })
})
