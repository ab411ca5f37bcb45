import { join } from "node:path"
import { findTrace, mcpPart, mcpProgram, type Wiring, type WiringPlace } from "../client-wiring.ts"

export const zedWiring: Wiring = {
  id: "zed",
  name: "Zed",
  find: (place) => findTrace(place, { programs: ["zed", "zeditor"], repository: [".zed"], home: [userFolder(place)] }),
  scopes: ["project", "user"],
  files: (place, command) => [
    {
      path: join(place.scope === "project" ? join(place.root, ".zed") : userFolder(place), "settings.json"),
      purpose: "MCP server",
      format: "json",
      parts: [mcpPart(["context_servers"], { source: "custom", ...mcpProgram(command), env: {} })],
    },
  ],
  stillToDo: ({ scope }) =>
    scope === "project" ? ["Zed starts a project's MCP servers only when you trust its worktree."] : [],
  contextFiles: () => ["AGENTS.md"],
  loadsAllContextFiles: false,
  skillFolders: () => [],
}

function userFolder({ home, environment, platform }: WiringPlace): string {
  if (platform === "win32") return join(environment.APPDATA || join(home, "AppData", "Roaming"), "Zed")
  return join((platform === "linux" && environment.XDG_CONFIG_HOME) || join(home, ".config"), "zed")
}
