import { story, testHookClient } from "../hook-client-contract.ts"
import { opencode } from "./hooks.ts"

const told = (event: string, fields: object) => ({
  event,
  input: { session: story.session, cwd: story.cwd, ...fields },
})
const run = { tool: "bash", args: { command: story.command } }

testHookClient(opencode, {
  start: told("session-start", {}),
  resume: told("session-start", { source: "resume" }),
  prompt: (prompt) => told("prompt", { prompt }),
  run: told("before-tool", run),
  edit: told("before-tool", {
    tool: "edit",
    args: { filePath: story.file, oldString: "a", newString: story.newText },
  }),
  read: told("before-tool", { tool: "read", args: { filePath: story.file } }),
  failure: told("after-failure", { ...run, error: story.error }),
  turnEnd: told("turn-end", {}),
  sessionEnd: told("session-end", {}),
  lacks: ["transcript"],
  asks: true,
})
