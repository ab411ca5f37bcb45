import {
  additionalContext,
  afterFailure,
  beforeCompaction,
  beforeTool,
  end,
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
import { readClaudeMessage } from "./transcript.ts"

const eventNames = {
  "session-start": "SessionStart",
  prompt: "UserPromptSubmit",
  "subagent-start": "SubagentStart",
  "before-compaction": "PreCompact",
  "before-tool": "PreToolUse",
  "after-tool": "PostToolUse",
  "after-failure": "PostToolUseFailure",
  end: "SessionEnd",
} satisfies Record<HookEvent["kind"], string>

export const claudeCode: HookClient = {
  id: "claude-code",
  hears: ["session-start", "prompt", "subagent-start", "before-compaction", "before-tool", "after-failure"],
  showsUser: true,
  read(event, input) {
    const fields = objectOf(input) ?? {}
    const place = readPlace("claude-code", fields)
    switch (event) {
      case "SessionStart":
        return sessionStart(place, fields.source)
      case "UserPromptSubmit": {
        const words = readClaudeMessage(textOf(fields.prompt) ?? "") // background task notifications arrive here too
        return words.kind === "said" ? prompt(place, words.text) : undefined
      }
      case "SubagentStart":
        return subagentStart(place)
      case "PreCompact":
        return beforeCompaction(place)
      case "PreToolUse":
        return beforeTool(place, fields.tool_name, fields.tool_input)
      case "PostToolUseFailure":
        if (fields.is_interrupt === true) return undefined
        return afterFailure(place, fields.tool_name, fields.tool_input, fields.error)
      case "Stop":
        return end(place, "turn")
      case "SessionEnd":
        return end(place, "session")
      default:
        return undefined
    }
  },
  answer(event, answer) {
    if (event.kind === "before-compaction") return answer.text // plain text is appended to the summary's instructions
    const isAsked = answer.kind === "warning" && answer.ask
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
