import { beforeTool, type HookClient, prompt, readEvents, sharedEvents, textForUser } from "../hook-event.ts"
import type { JsonObject } from "../json-value.ts"
import { cursorUserText } from "./transcript.ts"

export const cursor: HookClient = {
  id: "cursor",
  hears: ["session-start", "before-tool"],
  showsUser: false,
  read: readEvents("cursor", {
    sessionStart: sharedEvents.SessionStart,
    beforeSubmitPrompt: (place, fields) => prompt(place, wordsIn(fields)),
    preCompact: sharedEvents.PreCompact,
    preToolUse: sharedEvents.PreToolUse,
    beforeShellExecution: (place, fields) => beforeTool(place, "Shell", fields),
    stop: sharedEvents.Stop,
    sessionEnd: sharedEvents.SessionEnd,
  }),
  /** Drey never permits a call: without `permission`, the user's own settings decide. */
  answer(_event, answer) {
    if (answer.kind === "context") return JSON.stringify({ additional_context: answer.text })
    return JSON.stringify({
      ...(answer.ask ? { permission: "ask", user_message: textForUser(answer.text) } : {}),
      agent_message: answer.text,
    })
  },
}

function wordsIn({ prompt: words }: JsonObject): unknown {
  return typeof words === "string" ? cursorUserText(words).words : undefined
}
