import { type JsonObject, objectOf } from "../../clients/json-value.ts"
import type { HookClient, HookEvent } from "../hook-event.ts"
import { afterFailure, beforeTool, end, prompt, sessionStart } from "../make-event.ts"
import { readPlace } from "../read-place.ts"

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
