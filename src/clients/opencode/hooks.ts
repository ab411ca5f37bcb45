import { pluginHooks } from "../plugin.ts"

export const opencode = pluginHooks("opencode", {
  hears: ["session-start", "prompt", "before-compaction", "before-tool", "after-failure"],
})
