import { join } from "node:path"
import { noKey, type RealClient } from "./real-client.ts"
import { writeText } from "./write-text.ts"

export const codex: RealClient = {
  id: "codex",
  name: "Codex",
  package: "@openai/codex",
  version: "0.166.0",
  program: "codex",
  prepare({ home, project, modelUrl }) {
    const settings = [
      'model = "gpt-5.5"', // one that it knows: with others it offers no apply_patch
      'model_provider = "scripted"',
      'approval_policy = "never"',
      'sandbox_mode = "danger-full-access"',
      "",
      "[model_providers.scripted]",
      'name = "Scripted"',
      `base_url = ${JSON.stringify(`${modelUrl}/v1`)}`,
      'wire_api = "responses"',
      'env_key = "SCRIPTED_KEY"',
      "",
      `[projects.${JSON.stringify(project)}]`,
      'trust_level = "trusted"',
      "",
    ]
    writeText(join(home, ".codex", "config.toml"), settings.join("\n"))
  },
  environment: () => ({ SCRIPTED_KEY: noKey }),
  // The flag replaces the user's review of the hooks.
  args: (prompt) => ["exec", "--json", "--dangerously-bypass-hook-trust", prompt],
  run: (command) => ({ name: "exec_command", input: { cmd: command } }),
  write: (path, text) => {
    const added = text
      .split("\n")
      .slice(0, -1)
      .map((line) => `+${line}`)
    const patch = ["*** Begin Patch", `*** Add File: ${path}`, ...added, "*** End Patch", ""].join("\n")
    return { name: "apply_patch", custom: true, input: patch }
  },
  searchMemory: (query) => ({ name: "memory_search", namespace: "mcp__drey", input: { query } }),
}
