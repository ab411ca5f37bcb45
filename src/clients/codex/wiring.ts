import { join } from "node:path"
import {
  agentSkills,
  findTrace,
  type Hook,
  hookGroups,
  mcpProgram,
  type Wiring,
  type WiringPlace,
} from "../client-wiring.ts"

/**
 * Codex reports no failures, so output is checked after each call. It gives the last hook of a session three seconds.
 */
const hooks: Hook[] = [
  { event: "SessionStart", timeout: 10 },
  { event: "UserPromptSubmit", timeout: 10 },
  { event: "SubagentStart", timeout: 10 },
  { event: "PreCompact", timeout: 10 },
  { event: "PreToolUse", timeout: 5, tools: ["Bash", "apply_patch", "spawn_agent", "mcp__.*"] },
  { event: "PostToolUse", timeout: 5, tools: ["Bash"] },
  { event: "Stop", timeout: 10 },
  { event: "SessionEnd", timeout: 3 },
]

export const codexWiring: Wiring = {
  id: "codex",
  name: "Codex",
  find: (place) => findTrace(place, { programs: ["codex"], repository: [".codex"], home: [userFolder(place)] }),
  scopes: ["project", "user"],
  files: (place, command) => [
    {
      path: join(folder(place), "config.toml"),
      purpose: "MCP server",
      format: "toml",
      tables: [{ name: "mcp_servers.drey", values: mcpProgram(command) }],
    },
    {
      path: join(folder(place), "hooks.json"),
      purpose: "hooks",
      format: "json",
      parts: hookGroups("codex", command, hooks),
    },
  ],
  stillToDo: ({ scope }) => [
    "Codex ignores unreviewed hooks. In Codex, run /hooks and trust Drey's.",
    ...(scope === "project" ? ["Codex reads .codex only in trusted folders. Trust this folder when it asks."] : []),
  ],
  contextFiles: () => ["AGENTS.md"],
  loadsAllContextFiles: false,
  skillFolders: agentSkills,
}

function folder(place: WiringPlace): string {
  return place.scope === "project" ? join(place.root, ".codex") : userFolder(place)
}

function userFolder({ home, environment }: WiringPlace): string {
  return environment.CODEX_HOME || join(home, ".codex")
}
