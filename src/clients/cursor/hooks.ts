import {
  beforeCompaction,
  beforeTool,
  end,
  type HookClient,
  prompt,
  readPlace,
  sessionStart,
  textForUser,
} from "../hook-event.ts"
import { type JsonObject, objectOf } from "../json-value.ts"
import { cursorUserText } from "./transcript.ts"

export const cursor: HookClient = {
  id: "cursor",
  hears: ["session-start", "before-tool"],
  showsUser: false,
  read(event, input) {
    const fields = objectOf(input) ?? {}
    const place = readPlace("cursor", fields)
    switch (event) {
      case "sessionStart":
        return sessionStart(place, fields.source)
      case "beforeSubmitPrompt":
        return prompt(place, wordsIn(fields))
      case "preCompact":
        return beforeCompaction(place)
      case "preToolUse":
        return beforeTool(place, fields.tool_name, fields.tool_input)
      case "beforeShellExecution":
        return beforeTool(place, "Shell", fields)
      case "stop":
        return end(place, "turn")
      case "sessionEnd":
        return end(place, "session")
      default:
        return undefined
    }
  },
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
