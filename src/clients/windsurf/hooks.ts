import { end, type HookClient, prompt, readPlace } from "../hook-event.ts"
import { objectOf } from "../json-value.ts"

/** Its hooks accept no text for the agent: Drey only reads stated rules and ends of turns. */
export const windsurf: HookClient = {
  id: "windsurf",
  hears: [],
  showsUser: false,
  read(event, input) {
    const fields = objectOf(input) ?? {}
    const place = readPlace("windsurf", fields)
    switch (event) {
      case "pre_user_prompt":
        return prompt(place, objectOf(fields.tool_info)?.user_prompt)
      case "post_cascade_response":
      case "post_cascade_response_with_transcript":
        return end(place, "turn")
      default:
        return undefined
    }
  },
  answer: () => "",
}
