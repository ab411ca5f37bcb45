import { existsSync } from "node:fs"
import { join } from "node:path"
import {
  agentAndClaudeSkills,
  type DreyCommand,
  findTrace,
  mcpPart,
  mcpProgram,
  type WiredFile,
  type Wiring,
  type WiringPlace,
} from "../client-wiring.ts"
import { pluginStart } from "../plugin.ts"

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

function opencodeFolder({ home, environment }: WiringPlace): string {
  return join(environment.XDG_CONFIG_HOME || join(home, ".config"), "opencode")
}

/** Hooks for OpenCode: a plugin that runs `drey hook` and adds the answers to the system prompt. */
export function opencodePlugin(place: WiringPlace, command: DreyCommand): WiredFile {
  const folder = place.scope === "project" ? join(place.root, ".opencode") : opencodeFolder(place)
  return { path: join(folder, "plugins", "drey.js"), purpose: "hooks", format: "own", text: pluginText(command) }
}

function pluginText(command: DreyCommand): string {
  return `${pluginStart("opencode", "OpenCode", command)}
const reading = ["read", "grep", "glob", "list", "webfetch", "websearch", "codesearch", "lsp", "skill", "question", "todowrite", "todoread"]

export const Drey = async ({ directory }) => {
  /** What the model of each session gets: at every request, and once. */
  const sessions = new Map()
  const notesOf = (session) => {
    if (!sessions.has(session)) sessions.set(session, { start: undefined, prompts: [], once: [] })
    return sessions.get(session)
  }
  const place = (session) => ({ session, cwd: directory })
  return {
    event: async ({ event }) => {
      const session = event.properties?.sessionID ?? event.properties?.info?.id
      if (event.type === "session.idle") await ask("turn-end", place(session))
      if (event.type === "session.deleted") sessions.delete(session)
    },
    // A sub-agent works in a session of its own, under its own name.
    "chat.message": async ({ sessionID, agent }, { parts }) => {
      const notes = notesOf(sessionID)
      const texts = parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text)
      // A session of an earlier process has received nothing: what is added here is never stored in it.
      if (notes.start === undefined) notes.start = (await ask("session-start", { ...place(sessionID), agent, source: "clear" })).text ?? ""
      const known = await ask("prompt", { ...place(sessionID), agent, prompt: texts.join("\\n") })
      if (known.text) notes.prompts.push(known.text) // Drey says a thing once in a session
    },
    "tool.execute.before": async ({ tool, sessionID }, { args }) => {
      if (reading.includes(tool)) return
      const warning = await ask("before-tool", { ...place(sessionID), tool, args })
      if (warning.text) notesOf(sessionID).once.push(warning.text)
    },
    "tool.execute.after": async ({ tool, sessionID, args }, { output, metadata }) => {
      if (!metadata?.exit) return
      const known = await ask("after-failure", { ...place(sessionID), tool, args: args ?? {}, error: output })
      if (known.text) notesOf(sessionID).once.push(known.text)
    },
    "experimental.session.compacting": async ({ sessionID }, output) => {
      const known = await ask("before-compaction", place(sessionID))
      if (known.text) output.context?.push(known.text)
      const start = await ask("session-start", { ...place(sessionID), source: "compact" })
      sessions.set(sessionID, { start: start.text ?? "", prompts: [], once: [] })
    },
    "experimental.chat.system.transform": async ({ sessionID }, { system }) => {
      const notes = sessionID === undefined ? undefined : sessions.get(sessionID)
      if (!notes) return
      for (const text of [notes.start, ...notes.prompts, ...notes.once.splice(0)]) if (text) system.push(text)
    },
  }
}
`
}
