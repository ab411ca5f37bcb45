import {
  afterFailure,
  beforeTool,
  end,
  type HookClient,
  type HookEvent,
  prompt,
  readPlace,
  sessionStart,
} from "../hook-event.ts"
import { type JsonObject, objectOf } from "../json-value.ts"

export const cline: HookClient = {
  id: "cline",
  hears: ["session-start", "prompt", "before-tool", "after-failure"],
  showsUser: false,
  read(event, input) {
    const fields = objectOf(input) ?? {}
    const place = readPlace("cline", fields)
    switch (event) {
      case "TaskStart":
        return sessionStart(place, "startup")
      case "TaskResume":
        return sessionStart(place, "resume")
      case "UserPromptSubmit":
        return prompt(place, objectOf(fields.userPromptSubmit)?.prompt)
      case "PreToolUse": {
        const { toolName, parameters } = objectOf(fields.preToolUse) ?? {}
        return beforeTool(place, toolName, parameters)
      }
      case "PostToolUse":
        return failedCall(place, objectOf(fields.postToolUse) ?? {})
      case "TaskComplete":
      case "TaskCancel":
        return end(place, "session")
      default:
        return undefined
    }
  },
  /** It can stop a call but cannot ask about it. */
  answer: (_event, answer) => JSON.stringify({ cancel: false, contextModification: answer.text }),
}

function failedCall(place: Parameters<typeof end>[0], call: JsonObject): HookEvent | undefined {
  const { toolName, parameters, result, success } = call
  return success === false ? afterFailure(place, toolName, parameters, result) : undefined
}
