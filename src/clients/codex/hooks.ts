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
import { objectOf, textOf } from "../json-value.ts"
import { codexPartsText, codexUserText } from "./transcript.ts"

const eventNames = {
  "session-start": "SessionStart",
  prompt: "UserPromptSubmit",
  "subagent-start": "SubagentStart",
  "before-compaction": "PreCompact",
  "before-tool": "PreToolUse",
  "after-tool": "PostToolUse",
  "after-failure": "PostToolUse",
  end: "SessionEnd",
} satisfies Record<HookEvent["kind"], string>

export const codex: HookClient = {
  id: "codex",
  hears: ["session-start", "prompt", "subagent-start", "before-tool", "after-failure"],
  showsUser: true,
  read(event, input) {
    const fields = objectOf(input) ?? {}
    const place = readPlace("codex", fields)
    switch (event) {
      case "SessionStart":
        return sessionStart(place, fields.source)
      case "UserPromptSubmit":
        return prompt(place, codexUserText(textOf(fields.prompt) ?? ""))
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
      case "SessionEnd":
        return end(place, "session")
      default:
        return undefined
    }
  },
  /** It cannot ask before a call and treats `ask` as a failed hook, so the user is shown the warning instead. */
  answer(event, answer) {
    const isAsked = answer.kind === "warning" && answer.ask
    return JSON.stringify({
      ...(isAsked ? { systemMessage: textForUser(answer.text) } : systemMessage(answer)),
      hookSpecificOutput: { hookEventName: eventNames[event.kind], ...additionalContext(answer) },
    })
  },
}
