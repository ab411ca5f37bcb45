import { join } from "node:path"
import { noKey, type RealClient } from "./real-client.ts"
import { writeText } from "./write-text.ts"

export const claudeCode: RealClient = {
  id: "claude-code",
  name: "Claude Code",
  package: "@anthropic-ai/claude-code",
  version: "2.1.325",
  program: "claude",
  prepare({ project }) {
    // Stands for the user's yes to the servers of .mcp.json.
    writeText(join(project, ".claude", "settings.json"), '{ "enableAllProjectMcpServers": true }\n')
  },
  environment: ({ modelUrl }) => ({
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: noKey,
    DISABLE_AUTOUPDATER: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  }),
  args: (prompt) => [
    ...["-p", prompt, "--output-format", "stream-json", "--verbose"],
    ...["--allowedTools", "Bash,Read,Edit,Write,Agent,Task,mcp__drey"],
  ],
  run: (command) => ({ name: "Bash", input: { command, description: "Run a command" } }),
  write: (path, text) => ({ name: "Write", input: { file_path: `{{cwd}}/${path}`, content: text } }),
  delegate: (task) => ({
    name: "Agent",
    input: { description: "Look into the jobs", prompt: task, subagent_type: "general-purpose" },
  }),
  searchMemory: (query) => ({ name: "mcp__drey__memory_search", input: { query } }),
}
