import {
  afterFailure,
  beforeCompaction,
  beforeTool,
  end,
  type HookClient,
  prompt,
  readPlace,
  sessionStart,
  subagentStart,
  textForUser,
} from "../hook-event.ts"
import { type JsonObject, objectOf } from "../json-value.ts"
import { copilotOutput } from "./transcript.ts"

export const copilotCli: HookClient = {
  id: "copilot-cli",
  hears: ["session-start", "prompt", "subagent-start", "before-tool", "after-failure"],
  showsUser: false,
  read(event, input) {
    const fields = objectOf(input) ?? {}
    const place = readPlace("copilot-cli", fields)
    switch (event) {
      case "sessionStart":
        return sessionStart(place, fields.source)
      case "userPromptSubmitted":
        return prompt(place, fields.prompt)
      case "subagentStart":
        return subagentStart(place)
      case "preCompact":
        return beforeCompaction(place)
      case "preToolUse":
        return beforeTool(place, fields.toolName, fields.toolArgs)
      case "postToolUse":
        return afterFailure(place, fields.toolName, fields.toolArgs, failureIn(fields))
      case "postToolUseFailure":
        return afterFailure(place, fields.toolName, fields.toolArgs, fields.error)
      case "agentStop":
        return end(place, "turn")
      case "sessionEnd":
        return end(place, "session")
      default:
        return undefined
    }
  },
  answer(_event, answer) {
    const isAsked = answer.kind === "warning" && answer.ask
    return JSON.stringify({
      ...(isAsked ? { permissionDecision: "ask", permissionDecisionReason: textForUser(answer.text) } : {}),
      additionalContext: answer.text,
    })
  },
}

/** A failed command arrives as a success; its exit code is below the output. */
function failureIn({ toolResult }: JsonObject): string | undefined {
  const { text, exitCode } = copilotOutput({ result: { content: objectOf(toolResult)?.textResultForLlm } }, false)
  return exitCode === undefined || exitCode === 0 ? undefined : text
}
