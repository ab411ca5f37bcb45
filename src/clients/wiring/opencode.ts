import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Wiring, WiringPlace } from "../wiring.ts"
import { agentAndClaudeSkills } from "./agent-skills.ts"
import { findTrace } from "./find-trace.ts"
import { mcpPart, mcpProgram } from "./mcp-server.ts"

/**
 * OpenCode offers hooks to plugins only, and with any plugin it looks up a package on the network at every start, for
 * over a minute when offline. So it gets the MCP server, whose instructions it reads; permanent rules come from
 * AGENTS.md.
 */
export const opencodeWiring: Wiring = {
  id: "opencode",
  name: "OpenCode",
  find: (place) =>
    findTrace(place, {
      programs: ["opencode"],
      repository: ["opencode.json", "opencode.jsonc", ".opencode"],
      home: [opencodeFolder(place)],
    }),
  scopes: ["project", "user"],
  files: (place, command) => {
    const { command: program, args } = mcpProgram(command)
    const server = { type: "local", command: [program, ...args], enabled: true }
    return [{ path: configPath(place), purpose: "MCP server", format: "json", parts: [mcpPart(["mcp"], server)] }]
  },
  stillToDo: () => [],
  contextFiles: () => ["AGENTS.md", "CLAUDE.md"],
  loadsAllContextFiles: false,
  skillFolders: agentAndClaudeSkills,
}

function configPath(place: WiringPlace): string {
  const folder = place.scope === "project" ? place.root : opencodeFolder(place)
  const commented = join(folder, "opencode.jsonc")
  return existsSync(commented) ? commented : join(folder, "opencode.json")
}

export function opencodeFolder({ home, environment }: WiringPlace): string {
  return join(environment.XDG_CONFIG_HOME || join(home, ".config"), "opencode")
}
