import { join } from "node:path"
import { noKey, type RealClient } from "./real-client.ts"
import { writeText } from "./write-text.ts"

export const geminiCli: RealClient = {
  id: "gemini-cli",
  name: "Gemini CLI",
  package: "@google/gemini-cli",
  version: "0.61.0",
  program: "gemini",
  prepare({ home }) {
    const settings = {
      security: { auth: { selectedType: "gemini-api-key" } },
      general: { enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
    }
    writeText(join(home, ".gemini", "settings.json"), JSON.stringify(settings, undefined, 2))
  },
  environment: ({ modelUrl }) => ({
    GEMINI_API_KEY: noKey,
    GOOGLE_GEMINI_BASE_URL: modelUrl,
    GEMINI_CLI_TRUST_WORKSPACE: "true",
    NO_BROWSER: "1",
  }),
  args: (prompt) => ["--skip-trust", "-y", "-o", "stream-json", "-p", prompt],
  run: (command) => ({ name: "run_shell_command", input: { command, description: "Run a command" } }),
  write: (path, text) => ({ name: "write_file", input: { file_path: `{{cwd}}/${path}`, content: text } }),
  searchMemory: (query) => ({ name: "mcp_drey_memory_search", input: { query } }),
  warnsModelAfterwards: true,
}
