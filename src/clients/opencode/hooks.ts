import {
  afterFailure,
  beforeCompaction,
  beforeTool,
  end,
  type HookClient,
  prompt,
  readPlace,
  sessionStart,
} from "../hook-event.ts"
import { objectOf } from "../json-value.ts"

/**
 * OpenCode has plugins instead of hooks. Drey's plugin sends each event as JSON: `session`, `cwd`, and either `prompt`,
 * or `tool` and `args`, or these with `error`. It receives `{ "text", "ask" }`.
 */
export const opencode: HookClient = {
  id: "opencode",
  hears: ["session-start", "prompt", "before-compaction", "before-tool", "after-failure"],
  showsUser: false,
  read(event, input) {
    const fields = objectOf(input) ?? {}
    const place = readPlace("opencode", fields)
    switch (event) {
      case "session-start":
        return sessionStart(place, fields.source)
      case "prompt":
        return prompt(place, fields.prompt)
      case "before-compaction":
        return beforeCompaction(place)
      case "before-tool":
        return beforeTool(place, fields.tool, fields.args)
      case "after-failure":
        return afterFailure(place, fields.tool, fields.args, fields.error)
      case "turn-end":
        return end(place, "turn")
      case "session-end":
        return end(place, "session")
      default:
        return undefined
    }
  },
  answer: (_event, answer) => JSON.stringify({ text: answer.text, ask: answer.kind === "warning" && answer.ask }),
}
