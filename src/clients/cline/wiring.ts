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
import { editorFolders } from "../transcripts/client-files.ts"

const editors = ["Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"]

export const clineWiring: Wiring = {
  id: "cline",
  name: "Cline",
  find: (place) =>
    findTrace(place, {
      programs: ["cline"],
      repository: [".clinerules", ".cline"],
      home: [commandLineFolder(place), ...extensionFolders(place)],
    }),
  scopes: ["user"],
  files: (place, command) =>
    settingsFolders(place).map((folder) => ({
      path: join(folder, "settings", "cline_mcp_settings.json"),
      purpose: "MCP server",
      format: "json",
      parts: [mcpPart(["mcpServers"], { ...mcpProgram(command), disabled: false })],
    })),
  stillToDo: () => [],
  contextFiles: () => ["AGENTS.md"],
  loadsAllContextFiles: false,
  skillFolders: agentAndClaudeSkills,
}

/** The command line and each editor's extension have their own settings. */
function settingsFolders(place: WiringPlace): string[] {
  const present = [commandLineFolder(place), ...extensionFolders(place)].filter((folder) => existsSync(folder))
  return present.length > 0 ? present : [commandLineFolder(place)]
}

function commandLineFolder({ home, environment }: WiringPlace): string {
  return environment.CLINE_DATA_DIR || join(home, ".cline", "data")
}

function extensionFolders(place: WiringPlace): string[] {
  const folders = [...editorFolders(place, editors), join(place.home, ".vscode-server", "data", "User")]
  return folders.map((folder) => join(folder, "globalStorage", "saoudrizwan.claude-dev"))
}
