import { join } from "node:path"
import {
  agentAndClaudeSkills,
  type DreyCommand,
  findTrace,
  hookLine,
  hookMark,
  type JsonPart,
  mcpPart,
  mcpProgram,
  type Wiring,
  type WiringPlace,
} from "../client-wiring.ts"

const hooks = [
  { event: "sessionStart", timeout: 10 },
  { event: "beforeSubmitPrompt", timeout: 10 },
  { event: "preCompact", timeout: 10 },
  { event: "preToolUse", timeout: 5, matcher: "Shell|Write|Delete|MCP:.*" },
  { event: "stop", timeout: 10 },
  { event: "sessionEnd", timeout: 10 },
]

export const cursorWiring: Wiring = {
  id: "cursor",
  name: "Cursor",
  find: (place) =>
    findTrace(place, { programs: ["cursor", "cursor-agent"], repository: [".cursor"], home: [".cursor"] }),
  scopes: ["project", "user"],
  files: (place, command) => [
    {
      path: join(folder(place), "mcp.json"),
      purpose: "MCP server",
      format: "json",
      parts: [mcpPart(["mcpServers"], mcpProgram(command))],
    },
    { path: join(folder(place), "hooks.json"), purpose: "hooks", format: "json", parts: hookParts(command) },
  ],
  stillToDo: () => ['Cursor does not start a new MCP server by itself. Switch "drey" on in its settings under MCP.'],
  contextFiles: () => ["AGENTS.md"],
  loadsAllContextFiles: false,
  skillFolders: agentAndClaudeSkills,
}

function hookParts(command: DreyCommand): JsonPart[] {
  const version: JsonPart = { kind: "default", path: ["version"], value: 1 }
  const entries = hooks.map(({ event, ...rest }): JsonPart => {
    const value = { command: hookLine(command, "cursor", event), ...rest }
    return { kind: "item", path: ["hooks", event], value, mark: hookMark("cursor", event) }
  })
  return [version, ...entries]
}

function folder({ scope, root, home }: WiringPlace): string {
  return join(scope === "project" ? root : home, ".cursor")
}
