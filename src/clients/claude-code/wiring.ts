import { join } from "node:path"
import { renderJson } from "../../formats/managed-block.ts"
import {
  type DreyCommand,
  findTrace,
  type Hook,
  hookGroups,
  type JsonPart,
  mcpPart,
  mcpProgram,
  type WiredFile,
  type Wiring,
  type WiringPlace,
} from "../client-wiring.ts"

const changing = ["Bash", "PowerShell", "Edit", "MultiEdit", "Write", "NotebookEdit", "mcp__.*"]
/** Tools that start a sub-agent. */
const delegating = ["Task", "Agent"]

const hooks: Hook[] = [
  { event: "SessionStart", timeout: 10 },
  { event: "UserPromptSubmit", timeout: 10 },
  { event: "SubagentStart", timeout: 10 },
  { event: "PreCompact", timeout: 10 },
  { event: "PreToolUse", timeout: 5, tools: [...changing, ...delegating] },
  { event: "PostToolUseFailure", timeout: 5, tools: changing },
  { event: "Stop", timeout: 10 },
  { event: "SessionEnd", timeout: 10 },
]

export const claudeCodeWiring: Wiring = {
  id: "claude-code",
  name: "Claude Code",
  find: (place) =>
    findTrace(place, { programs: ["claude"], repository: [".claude", "CLAUDE.md"], home: [configFolder(place)] }),
  scopes: ["project", "user"],
  files: (place, command) => [
    { path: serversPath(place), purpose: "MCP server", format: "json", parts: [claudeServer(command)] },
    { path: settingsPath(place), purpose: "hooks", format: "json", parts: claudeHooks(command) },
  ],
  stillToDo: ({ scope }) => [
    ...(scope === "project"
      ? ['Claude Code asks once per project whether to use the "drey" server from .mcp.json. Accept it.']
      : []),
    "Restart any open Claude Code session.",
  ],
  contextFiles: () => ["CLAUDE.md", "CLAUDE.local.md", "AGENTS.md"],
  loadsAllContextFiles: false,
  skillFolders: (place) => [
    place.scope === "project" ? join(place.root, ".claude", "skills") : join(configFolder(place), "skills"),
  ],
}

/** One entry for every client that reads `.mcp.json`: Claude Code, Copilot CLI, VS Code. */
export function claudeServer(command: DreyCommand): JsonPart {
  return mcpPart(["mcpServers"], { type: "stdio", ...mcpProgram(command) })
}

function claudeHooks(command: DreyCommand): JsonPart[] {
  return hookGroups("claude-code", command, hooks)
}

function serversPath(place: WiringPlace): string {
  if (place.scope === "project") return join(place.root, ".mcp.json")
  return join(place.environment.CLAUDE_CONFIG_DIR || place.home, ".claude.json")
}

function settingsPath(place: WiringPlace): string {
  return join(place.scope === "project" ? join(place.root, ".claude") : configFolder(place), "settings.json")
}

function configFolder({ home, environment }: WiringPlace): string {
  return environment.CLAUDE_CONFIG_DIR || join(home, ".claude")
}

/** Drey as a Claude Code plugin: a folder for `claude --plugin-dir` or a marketplace. */
export function claudePlugin(
  folder: string,
  command: DreyCommand,
  version: string,
  skills: readonly { name: string; text: string }[],
): WiredFile[] {
  const description = "One memory for a team of coding agents."
  const manifest = { name: "drey", version, description, author: { name: "Drey" }, license: "MIT" }
  const own = (path: string, purpose: string, text: string): WiredFile => ({
    path: join(folder, path),
    purpose,
    format: "own",
    text,
  })
  return [
    own(".claude-plugin/plugin.json", "plugin", toText(manifest)),
    own(".mcp.json", "MCP server", toText(documentOf([claudeServer(command)]))),
    own("hooks/hooks.json", "hooks", toText(documentOf(claudeHooks(command)))),
    ...skills.map(({ name, text }) => own(`skills/${name}/SKILL.md`, "skill", text)),
  ]
}

/** The parts as a separate document. */
function documentOf(parts: readonly JsonPart[]): unknown {
  const document: Record<string, Record<string, unknown>> = {}
  for (const { kind, path, value } of parts) {
    const [under = "", key = ""] = path
    document[under] = { ...document[under], [key]: kind === "item" ? [value] : value }
  }
  return document
}

function toText(value: unknown): string {
  return `${renderJson(value, { open: 2 })}\n`
}
