import { afterFailure, askFirst, beforeTool, type HookClient, readEvents, sharedEvents } from "../hook-event.ts"
import { type JsonObject, objectOf } from "../json-value.ts"
import { copilotOutput } from "./transcript.ts"

export const copilotCli: HookClient = {
  id: "copilot-cli",
  hears: ["session-start", "prompt", "subagent-start", "before-tool", "after-failure"],
  showsUser: false,
  read: readEvents("copilot-cli", {
    sessionStart: sharedEvents.SessionStart,
    userPromptSubmitted: sharedEvents.UserPromptSubmit,
    subagentStart: sharedEvents.SubagentStart,
    preCompact: sharedEvents.PreCompact,
    preToolUse: (place, { toolName, toolArgs }) => beforeTool(place, toolName, toolArgs),
    postToolUse: (place, fields) => afterFailure(place, fields.toolName, fields.toolArgs, failureIn(fields)),
    postToolUseFailure: (place, { toolName, toolArgs, error }) => afterFailure(place, toolName, toolArgs, error),
    agentStop: sharedEvents.Stop,
    sessionEnd: sharedEvents.SessionEnd,
  }),
  answer(_event, answer) {
    const isAsked = answer.kind === "warning" && answer.ask
    return JSON.stringify({
      ...(isAsked ? askFirst(answer.text) : {}),
      additionalContext: answer.text,
    })
  },
}

/** A failed command arrives as a success; its exit code is below the output. */
function failureIn({ toolResult }: JsonObject): string | undefined {
  const { text, exitCode } = copilotOutput({ result: { content: objectOf(toolResult)?.textResultForLlm } }, false)
  return exitCode === undefined || exitCode === 0 ? undefined : text
}
