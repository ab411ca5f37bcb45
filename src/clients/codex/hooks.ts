import {
  additionalContext,
  afterFailure,
  failedOutput,
  type HookClient,
  prompt,
  readEvents,
  sharedEventNames,
  sharedEvents,
  systemMessage,
  textForUser,
} from "../hook-event.ts"
import { textOf } from "../json-value.ts"
import { codexPartsText, codexUserText } from "./transcript.ts"

export const codex: HookClient = {
  id: "codex",
  hears: ["session-start", "prompt", "subagent-start", "before-tool", "after-failure"],
  showsUser: true,
  read: readEvents("codex", {
    ...sharedEvents,
    UserPromptSubmit: (place, fields) => prompt(place, codexUserText(textOf(fields.prompt) ?? "")),
    PostToolUse: (place, { tool_name, tool_input, tool_response }) =>
      afterFailure(place, tool_name, tool_input, failedOutput(tool_name, codexPartsText(tool_response))),
  }),
  /** It cannot ask before a call and treats `ask` as a failed hook, so the user is shown the warning instead. */
  answer(event, answer) {
    const isAsked = answer.kind === "warning" && answer.ask
    return JSON.stringify({
      ...(isAsked ? { systemMessage: textForUser(answer.text) } : systemMessage(answer)),
      hookSpecificOutput: { hookEventName: sharedEventNames[event.kind], ...additionalContext(answer) },
    })
  },
}
