import { join } from "node:path"
import { parse } from "jsonc-parser"
import {
  agentSkills,
  type ContextFileName,
  findTrace,
  type Hook,
  hookGroups,
  mcpPart,
  mcpProgram,
  type Wiring,
  type WiringPlace,
} from "../client-wiring.ts"
import { objectOf } from "../json-value.ts"
import { readBeginning } from "../transcripts/client-files.ts"

/** Timeouts are in milliseconds. A failure is reported after the call, as its result. */
const hooks: Hook[] = [
  { event: "SessionStart", timeout: 10_000 },
  { event: "BeforeAgent", timeout: 10_000 },
  { event: "BeforeTool", timeout: 5_000, tools: ["run_shell_command", "write_file", "replace", "mcp_.*"] },
  { event: "AfterTool", timeout: 5_000, tools: ["run_shell_command", "write_file", "replace", "mcp_.*"] },
  { event: "AfterAgent", timeout: 10_000 },
  { event: "SessionEnd", timeout: 10_000 },
]

export const geminiCliWiring: Wiring = {
  id: "gemini-cli",
  name: "Gemini CLI",
  find: (place) => findTrace(place, { programs: ["gemini"], repository: [".gemini", "GEMINI.md"], home: [".gemini"] }),
  scopes: ["project", "user"],
  files: (place, command) => [
    {
      path: join(folder(place), "settings.json"),
      purpose: "MCP server and hooks",
      format: "json",
      parts: [mcpPart(["mcpServers"], mcpProgram(command)), ...hookGroups("gemini-cli", command, hooks)],
    },
  ],
  stillToDo: () => [
    "Gemini CLI starts MCP servers and hooks only in trusted folders. Run /permissions to trust this one.",
  ],
  contextFiles,
  loadsAllContextFiles: false,
  skillFolders: agentSkills,
}

function folder({ scope, root, home }: WiringPlace): string {
  return join(scope === "project" ? root : home, ".gemini")
}

/** GEMINI.md, unless its settings name other files. */
function contextFiles(place: WiringPlace): readonly ContextFileName[] {
  const settings = [place.root, place.home].map((above) =>
    parse(readBeginning(join(above, ".gemini", "settings.json")) ?? ""),
  )
  const names = settings.map((value) => objectOf(objectOf(value)?.context)?.fileName).find((name) => name !== undefined)
  return [names].flat().includes("AGENTS.md") ? ["AGENTS.md"] : ["GEMINI.md"]
}
