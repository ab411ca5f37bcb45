import {
  afterFailure,
  askingAnswer,
  type HookClient,
  prompt,
  readEvents,
  sharedEventNames,
  sharedEvents,
} from "../hook-event.ts"
import { textOf } from "../json-value.ts"
import { readClaudeMessage } from "./transcript.ts"

export const claudeCode: HookClient = {
  id: "claude-code",
  hears: ["session-start", "prompt", "subagent-start", "before-compaction", "before-tool", "after-failure"],
  showsUser: true,
  read: readEvents("claude-code", {
    ...sharedEvents,
    UserPromptSubmit(place, fields) {
      const words = readClaudeMessage(textOf(fields.prompt) ?? "") // background task notifications arrive here too
      return words.kind === "said" ? prompt(place, words.text) : undefined
    },
    PostToolUseFailure: (place, { is_interrupt, tool_name, tool_input, error }) =>
      is_interrupt === true ? undefined : afterFailure(place, tool_name, tool_input, error),
  }),
  answer(event, answer) {
    if (event.kind === "before-compaction") return answer.text // plain text is appended to the summary's instructions
    return askingAnswer(event.kind === "after-failure" ? "PostToolUseFailure" : sharedEventNames[event.kind], answer)
  },
}
