import { codexPartsText } from "../codex/transcript.ts"
import {
  additionalContext,
  afterFailure,
  beforeCompaction,
  beforeTool,
  end,
  failedOutput,
  type HookClient,
  type HookEvent,
  prompt,
  readPlace,
  sessionStart,
  subagentStart,
  systemMessage,
  textForUser,
} from "../hook-event.ts"
import { objectOf } from "../json-value.ts"

const eventNames = {
  "session-start": "SessionStart",
  prompt: "UserPromptSubmit",
  "subagent-start": "SubagentStart",
  "before-compaction": "PreCompact",
  "before-tool": "PreToolUse",
  "after-tool": "PostToolUse",
  "after-failure": "PostToolUse",
  end: "Stop",
} satisfies Record<HookEvent["kind"], string>

export const vscodeCopilot: HookClient = {
  id: "vscode-copilot",
  hears: ["session-start", "subagent-start", "before-tool", "after-failure"],
  showsUser: true,
  read(event, input) {
    const fields = objectOf(input) ?? {}
    const place = readPlace("vscode-copilot", fields)
    switch (event) {
      case "SessionStart":
        return sessionStart(place, fields.source)
      case "UserPromptSubmit":
        return prompt(place, fields.prompt)
      case "SubagentStart":
        return subagentStart(place)
      case "PreCompact":
        return beforeCompaction(place)
      case "PreToolUse":
        return beforeTool(place, fields.tool_name, fields.tool_input)
      case "PostToolUse": {
        const { tool_name, tool_input, tool_response } = fields
        return afterFailure(place, tool_name, tool_input, failedOutput(tool_name, codexPartsText(tool_response)))
      }
      case "Stop":
        return end(place, "turn")
      default:
        return undefined
    }
  },
  answer(event, answer) {
    const isAsked = answer.kind === "warning" && answer.ask
    if (event.kind === "prompt") return JSON.stringify(systemMessage(answer))
    return JSON.stringify({
      ...systemMessage(answer),
      hookSpecificOutput: {
        hookEventName: eventNames[event.kind],
        ...(isAsked ? { permissionDecision: "ask", permissionDecisionReason: textForUser(answer.text) } : {}),
        ...additionalContext(answer),
      },
    })
  },
}
