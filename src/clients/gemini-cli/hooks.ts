import {
  additionalContext,
  afterFailure,
  afterTool,
  type HookClient,
  type HookEvent,
  prompt,
  readEvents,
  sharedEvents,
  systemMessage,
  textForUser,
} from "../hook-event.ts"
import { type JsonObject, objectOf, textOf } from "../json-value.ts"
import { geminiOutput, geminiPartsText, geminiUserText } from "./transcript.ts"

/** It has no hook for sub-agents, and none for a compaction: PreCompress runs before every request. */
const eventNames: Partial<Record<HookEvent["kind"], string>> = {
  "session-start": "SessionStart",
  prompt: "BeforeAgent",
  "before-tool": "BeforeTool",
  "after-tool": "AfterTool",
  "after-failure": "AfterTool",
  end: "SessionEnd",
}

export const geminiCli: HookClient = {
  id: "gemini-cli",
  hears: ["session-start", "prompt", "before-tool", "after-tool", "after-failure"],
  showsUser: true,
  read: readEvents("gemini-cli", {
    SessionStart: sharedEvents.SessionStart,
    BeforeAgent: (place, { prompt: content }) => prompt(place, geminiUserText({ content })), // after the session start's context
    BeforeTool: sharedEvents.PreToolUse,
    AfterTool(place, fields) {
      const { tool_name, tool_input } = fields
      const failure = failureIn(fields)
      return failure === undefined
        ? afterTool(place, tool_name, tool_input)
        : afterFailure(place, tool_name, tool_input, failure)
    },
    AfterAgent: sharedEvents.Stop,
    SessionEnd: sharedEvents.SessionEnd,
  }),
  /** Before a call it can only message the user; the model gets the same text with the call's result. */
  answer(event, answer) {
    if (event.kind === "before-tool") {
      const words = textForUser(answer.text)
      const isAsked = answer.kind === "warning" && answer.ask
      return JSON.stringify({ ...(isAsked ? { decision: "ask", reason: words } : {}), systemMessage: words })
    }
    return JSON.stringify({
      ...systemMessage(answer),
      hookSpecificOutput: { hookEventName: eventNames[event.kind], ...additionalContext(answer) },
    })
  },
}

/** A failed command counts as a success here: only its output shows how it ended. */
function failureIn({ tool_name, tool_response }: JsonObject): string | undefined {
  const response = objectOf(tool_response) ?? {}
  const error = textOf(objectOf(response.error)?.message)
  if (error !== undefined) return error
  const output = geminiPartsText(response.llmContent)
  const { text, exitCode } = geminiOutput({
    name: tool_name,
    result: [{ functionResponse: { response: { output } } }],
  })
  return exitCode === undefined || exitCode === 0 ? undefined : text
}
