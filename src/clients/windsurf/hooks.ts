import { type HookClient, prompt, readEvents, sharedEvents } from "../hook-event.ts"
import { objectOf } from "../json-value.ts"

/** Its hooks accept no text for the agent: Drey only reads stated rules and ends of turns. */
export const windsurf: HookClient = {
  id: "windsurf",
  hears: [],
  showsUser: false,
  read: readEvents("windsurf", {
    pre_user_prompt: (place, { tool_info }) => prompt(place, objectOf(tool_info)?.user_prompt),
    post_cascade_response: sharedEvents.Stop,
    post_cascade_response_with_transcript: sharedEvents.Stop,
  }),
  answer: () => "",
}
