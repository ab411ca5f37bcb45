import { existsSync } from "node:fs"
import { join } from "node:path"
import {
  agentAndClaudeSkills,
  findTrace,
  mcpPart,
  mcpProgram,
  type Wiring,
  type WiringPlace,
} from "../client-wiring.ts"
import { copilotHooks, copilotHooksPath } from "../copilot-cli/wiring.ts"
import { editorFolders } from "../transcripts/client-files.ts"

const editors = ["Code", "Code - Insiders", "VSCodium"]

export const vscodeCopilotWiring: Wiring = {
  id: "vscode-copilot",
  name: "VS Code",
  find: (place) =>
    findTrace(place, { programs: ["code"], repository: [".vscode"], home: editorFolders(place, editors) }),
  scopes: ["project", "user"],
  files: (place, command) => [
    ...serverPaths(place).map((path) => ({
      path,
      purpose: "MCP server",
      format: "json" as const,
      parts: [mcpPart(["servers"], { type: "stdio", ...mcpProgram(command) })],
    })),
    { path: copilotHooksPath(place), purpose: "hooks", format: "own", text: copilotHooks(command) },
  ],
  stillToDo: () => ['VS Code asks before it starts the "drey" server for the first time. Allow it.'],
  contextFiles: () => ["AGENTS.md"],
  loadsAllContextFiles: false,
  skillFolders: agentAndClaudeSkills,
}

/** Each installed editor of the family has its own settings. */
function serverPaths(place: WiringPlace): string[] {
  if (place.scope === "project") return [join(place.root, ".vscode", "mcp.json")]
  const folders = editorFolders(place, editors)
  const present = folders.filter((folder) => existsSync(folder))
  return (present.length > 0 ? present : folders.slice(0, 1)).map((folder) => join(folder, "mcp.json"))
}
