import { join } from "node:path"
import { renderJson } from "../../formats/managed-block.ts"
import { claudeServer } from "../claude-code/wiring.ts"
import {
  agentAndClaudeSkills,
  type DreyCommand,
  findTrace,
  hookLine,
  mcpPart,
  mcpProgram,
  powershellLine,
  type Wiring,
  type WiringPlace,
} from "../client-wiring.ts"

/** Its MCP tools have no prefix in their names, so this matches all tools except those that only read or ask. */
const changing =
  "^(?!(?:view|show_file|read_\\w+|grep|glob|rg|web_\\w+|ask_user|report_intent|update_todo|sql|skill)$).+$"
const running = "^(?:bash|powershell|edit|create|apply_patch)$"

/** A failed shell command is reported as a success, so every shell result is checked. */
const hooks = [
  { event: "sessionStart", timeoutSec: 10 },
  { event: "userPromptSubmitted", timeoutSec: 10 },
  { event: "subagentStart", timeoutSec: 10 },
  { event: "preCompact", timeoutSec: 10 },
  { event: "preToolUse", timeoutSec: 5, matcher: changing },
  { event: "postToolUse", timeoutSec: 5, matcher: running },
  { event: "postToolUseFailure", timeoutSec: 5, matcher: running },
  { event: "agentStop", timeoutSec: 10 },
  { event: "sessionEnd", timeoutSec: 10 },
]

/** A Copilot hooks file. VS Code reads the same folder, so one file serves both; two would run twice. */
export function copilotHooks(command: DreyCommand): string {
  const entries = hooks.map(({ event, ...rest }) => [
    event,
    [
      {
        type: "command",
        bash: hookLine(command, "copilot-cli", event),
        powershell: powershellLine(command, "copilot-cli", event),
        ...rest,
      },
    ],
  ])
  return `${renderJson({ version: 1, hooks: Object.fromEntries(entries) }, { open: 4 })}\n`
}

export const copilotCliWiring: Wiring = {
  id: "copilot-cli",
  name: "Copilot CLI",
  find: (place) =>
    findTrace(place, {
      programs: ["copilot"],
      repository: [".github/copilot-instructions.md"],
      home: [copilotFolder(place)],
    }),
  scopes: ["project", "user"],
  files: (place, command) => {
    const isProject = place.scope === "project"
    const server = mcpPart(["mcpServers"], { type: "local", ...mcpProgram(command), tools: ["*"] })
    return [
      {
        path: isProject ? join(place.root, ".mcp.json") : join(copilotFolder(place), "mcp-config.json"),
        purpose: "MCP server",
        format: "json",
        parts: [isProject ? claudeServer(command) : server],
      },
      { path: copilotHooksPath(place), purpose: "hooks", format: "own", text: copilotHooks(command) },
    ]
  },
  stillToDo: ({ scope }) =>
    scope === "project"
      ? ["Copilot CLI reads .mcp.json and .github/hooks only in trusted folders. Trust this folder when it asks."]
      : [],
  contextFiles: () => ["AGENTS.md", "CLAUDE.md", "GEMINI.md"],
  loadsAllContextFiles: true,
  skillFolders: agentAndClaudeSkills,
}

export function copilotHooksPath(place: WiringPlace): string {
  return place.scope === "project"
    ? join(place.root, ".github", "hooks", "drey.json")
    : join(copilotFolder(place), "hooks", "drey.json")
}

function copilotFolder({ home, environment }: WiringPlace): string {
  return environment.COPILOT_HOME || join(home, ".copilot")
}
