import { renderJson } from "../../formats/render-json.ts"
import type { DreyCommand } from "../wiring.ts"
import { hookLine, powershellLine } from "./hook-line.ts"

/** Its MCP tools have no prefix in their names, so this matches all tools except those that only read or ask. */
const changing =
  "^(?!(?:view|show_file|read_\\w+|grep|glob|rg|web_\\w+|ask_user|report_intent|update_todo|sql|skill)$).+$"
const running = "^(?:bash|powershell|edit|create|apply_patch)$"

/** A failed shell command is reported as a success, so every shell result is checked. */
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

/** A Copilot hooks file. VS Code reads the same folder, so one file serves both; two would run twice. */
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
