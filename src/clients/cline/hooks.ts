import {
  afterFailure,
  beforeTool,
  type HookClient,
  prompt,
  readEvents,
  sessionStart,
  sharedEvents,
} from "../hook-event.ts"
import { objectOf } from "../json-value.ts"

export const cline: HookClient = {
  id: "cline",
  hears: ["session-start", "prompt", "before-tool", "after-failure"],
  showsUser: false,
  read: readEvents("cline", {
    TaskStart: (place) => sessionStart(place, "startup"),
    TaskResume: (place) => sessionStart(place, "resume"),
    UserPromptSubmit: (place, { userPromptSubmit }) => prompt(place, objectOf(userPromptSubmit)?.prompt),
    PreToolUse(place, { preToolUse }) {
      const { toolName, parameters } = objectOf(preToolUse) ?? {}
      return beforeTool(place, toolName, parameters)
    },
    PostToolUse(place, { postToolUse }) {
      const { toolName, parameters, result, success } = objectOf(postToolUse) ?? {}
      return success === false ? afterFailure(place, toolName, parameters, result) : undefined
    },
    TaskComplete: sharedEvents.SessionEnd,
    TaskCancel: sharedEvents.SessionEnd,
  }),
  /** It can stop a call but cannot ask about it. */
  answer: (_event, answer) => JSON.stringify({ cancel: false, contextModification: answer.text }),
}
