import { pluginHooks } from "../plugin.ts"
import { typedPart } from "./transcript.ts"

export const pi = pluginHooks("pi", {
  hears: ["session-start", "prompt", "before-tool", "after-failure"],
  typedPart,
})
