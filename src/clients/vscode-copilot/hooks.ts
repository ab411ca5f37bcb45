import { codexPartsText } from "../codex/transcript.ts"
import {
  afterFailure,
  askingAnswer,
  failedOutput,
  type HookClient,
  readEvents,
  sharedEventNames,
  sharedEvents,
  systemMessage,
} from "../hook-event.ts"

export const vscodeCopilot: HookClient = {
  id: "vscode-copilot",
  hears: ["session-start", "subagent-start", "before-tool", "after-failure"],
  showsUser: true,
  read: readEvents("vscode-copilot", {
    ...sharedEvents,
    PostToolUse: (place, { tool_name, tool_input, tool_response }) =>
      afterFailure(place, tool_name, tool_input, failedOutput(tool_name, codexPartsText(tool_response))),
  }),
  answer(event, answer) {
    if (event.kind === "prompt") return JSON.stringify(systemMessage(answer))
    return askingAnswer(event.kind === "end" ? "Stop" : sharedEventNames[event.kind], answer)
  },
}
