/** For tests: settings of every client as people keep them, with servers and hooks of others, comments and odd layouts. */
export function clientSettings(scope: "project" | "user"): Record<string, string> {
  return scope === "project" ? projectSettings : userSettings
}

const servers = `{
  // what the team uses
  "mcpServers": {
    "files": { "command": "npx", "args": ["-y", "files-server"] }, /* reads only */
    "search": {
      "type": "http",
      "url": "http://127.0.0.1:9000/mcp"
    } // the old one
  }
}
`

const groupedHooks = `{
    "permissions": { "allow": ["Bash(npm test)"] },
    "hooks": {
        "Stop": [
            { "hooks": [{ "type": "command", "command": "say done" }] }
        ],
        "PreToolUse": [{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "./check.sh" }] }]
    }
}
`

const codexConfig = `# Codex
model = "gpt-5.5"

[mcp_servers.files]
command = "npx"
args = [
  "-y", # always
  "files-server",
]

[mcp_servers.files.env]
KEY = '[mcp_servers.drey]'
`

const flatHooks = `{
\t"version": 1,
\t"hooks": {
\t\t"stop": [{ "command": "./done.sh" }],
\t},
}
`

const projectSettings = {
  ".mcp.json": servers,
  ".claude/settings.json": groupedHooks,
  ".codex/config.toml": codexConfig,
  ".codex/hooks.json": groupedHooks,
  ".gemini/settings.json": `{ "theme": "Dark", "mcpServers": { "files": { "command": "npx" } } }\n`,
  ".vscode/mcp.json": `{\n  "servers": {},\n  "inputs": [] // none\n}\n`,
  ".cursor/mcp.json": servers,
  ".cursor/hooks.json": flatHooks,
  ".windsurf/hooks.json": `{ "hooks": { "pre_user_prompt": [{ "command": "./log.sh", "show_output": true }] } }\n`,
  "opencode.jsonc": `{\n   // three spaces\n   "theme": "system",\n   "mcp": {\n      "files": { "type": "local", "command": ["npx"] },\n   },\n}\n`,
  ".zed/settings.json": `// project settings\n{\n  "tab_size": 2\n}\n`,
  "AGENTS.md": "# Agents\n\nRun the tests.\n",
  "CLAUDE.md": "# Claude\n\nBe brief.\n",
  "GEMINI.md": "# Gemini\n",
}

const userSettings = {
  ".claude.json": `{"numStartups":12,"mcpServers":{"files":{"command":"npx"}},"projects":{}}`,
  ".claude/settings.json": groupedHooks,
  ".codex/config.toml": codexConfig,
  ".codex/hooks.json": groupedHooks,
  ".gemini/settings.json": servers,
  ".copilot/mcp-config.json": servers,
  ".config/Code/User/mcp.json": `{\n  "servers": {},\n  "inputs": [] // none\n}\n`,
  ".config/VSCodium/User/mcp.json": "{}",
  ".cursor/mcp.json": servers,
  ".cursor/hooks.json": flatHooks,
  ".codeium/windsurf/mcp_config.json": servers,
  ".codeium/windsurf/hooks.json": `{ "hooks": {} }\n`,
  ".config/opencode/opencode.json": `{\n\t"$schema": "https://opencode.ai/config.json"\n}\n`,
  ".cline/data/settings/cline_mcp_settings.json": servers,
  ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json": `{\n  "mcpServers": {}\n}`,
  ".config/zed/settings.json": `// Zed settings\n{\n  "theme": "One", // for now\n  "context_servers": {},\n}\n`,
}
