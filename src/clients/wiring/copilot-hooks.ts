import { renderJson } from "../../formats/render-json.ts"
import type { DreyCommand } from "../wiring.ts"
import { hookLine, powershellLine } from "./hook-line.ts"

/** Its tools of MCP servers have no mark in their names: all tools but those that only read or ask. */
const changing =
  "^(?!(?:view|show_file|read_\\w+|grep|glob|rg|web_\\w+|ask_user|report_intent|update_todo|sql|skill)$).+$"
const running = "^(?:bash|powershell|edit|create|apply_patch)$"

/** A failed shell command is told as a success, so every result of one is looked at. */
const hooks = [
  { event: "sessionStart", timeoutSec: 10 },
  { event: "userPromptSubmitted", timeoutSec: 10 },
  { event: "subagentStart", timeoutSec: 10 },
  { event: "preCompact", timeoutSec: 10 },
  { event: "preToolUse", timeoutSec: 5, matcher: changing },
  { event: "postToolUse", timeoutSec: 5, matcher: running },
  { event: "postToolUseFailure", timeoutSec: 5, matcher: running },
  { event: "agentStop", timeoutSec: 10 },
  { event: "sessionEnd", timeoutSec: 10 },
]

/** A hooks file of Copilot's, which VS Code reads in the same folder: one file for both, or each would run the other's too. */
export function copilotHooks(command: DreyCommand): string {
  const entries = hooks.map(({ event, ...rest }) => [
    event,
    [
      {
        type: "command",
        bash: hookLine(command, "copilot-cli", event),
        powershell: powershellLine(command, "copilot-cli", event),
        ...rest,
      },
    ],
  ])
  return `${renderJson({ version: 1, hooks: Object.fromEntries(entries) }, { open: 4 })}\n`
}
