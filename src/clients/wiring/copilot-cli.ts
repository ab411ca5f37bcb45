import { join } from "node:path"
import type { Wiring, WiringPlace } from "../wiring.ts"
import { agentAndClaudeSkills } from "./agent-skills.ts"
import { claudeServer } from "./claude-code.ts"
import { copilotHooks } from "./copilot-hooks.ts"
import { findTrace } from "./find-trace.ts"
import { mcpPart, mcpProgram } from "./mcp-server.ts"

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
