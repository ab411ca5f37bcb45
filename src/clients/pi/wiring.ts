import { join } from "node:path"
import { agentSkills, type DreyCommand, findTrace, type Wiring, type WiringPlace } from "../client-wiring.ts"
import { pluginStart } from "../plugin.ts"

/** Pi has extensions instead of hooks, and no MCP: one program that asks Drey does it all. */
export const piWiring: Wiring = {
  id: "pi",
  name: "Pi",
  find: (place) => findTrace(place, { programs: ["pi"], repository: [".pi"], home: [agentFolder(place)] }),
  scopes: ["project", "user"],
  files: (place, command) => [
    { path: extensionPath(place), purpose: "hooks", format: "own", text: extensionText(command) },
  ],
  stillToDo: () => ["Run /reload in any open Pi session."],
  contextFiles: () => ["AGENTS.md", "CLAUDE.md"],
  loadsAllContextFiles: false,
  skillFolders: agentSkills,
}

function extensionPath(place: WiringPlace): string {
  const folder = place.scope === "project" ? join(place.root, ".pi") : agentFolder(place)
  return join(folder, "extensions", "drey.js")
}

function agentFolder({ home, environment }: WiringPlace): string {
  return environment.PI_CODING_AGENT_DIR || join(home, ".pi", "agent")
}

function extensionText(command: DreyCommand): string {
  return `${pluginStart("pi", "Pi", command)}
const reading = ["read", "grep", "find", "ls"]
const sources = { reload: "resume", resume: "resume", fork: "resume", new: "clear" }

function connectDrey(pi) {
  let start // the session's context, handed over with the next prompt
  const warnings = new Map() // by call, handed over with its result: the model cannot be reached before it
  const place = (ctx) => {
    const { sessionManager, cwd } = ctx
    return { session: sessionManager.getSessionId(), transcript_path: sessionManager.getSessionFile(), cwd }
  }
  pi.on("session_start", async ({ reason }, ctx) => {
    start = (await ask("session-start", { ...place(ctx), source: sources[reason] ?? "startup" })).text
  })
  pi.on("session_compact", async (_event, ctx) => {
    start = (await ask("session-start", { ...place(ctx), source: "compact" })).text
  })
  pi.on("before_agent_start", async ({ prompt }, ctx) => {
    const isAgents = !ctx.hasUI && /^Task:/.test(prompt) // written by an agent for its sub-agent
    const known = isAgents ? {} : await ask("prompt", { ...place(ctx), prompt })
    const content = [start, known.text].filter(Boolean).join("\\n\\n")
    start = undefined
    if (content) return { message: { customType: "drey", content, display: false } }
  })
  pi.on("tool_call", async ({ toolName, toolCallId, input }, ctx) => {
    if (reading.includes(toolName)) return
    const warning = await ask("before-tool", { ...place(ctx), tool: toolName, args: input })
    if (!warning.text) return
    if (warning.ask && ctx.hasUI && !(await ctx.ui.confirm("Continue?", warning.question)))
      return { block: true, reason: "The user declined this call." }
    warnings.set(toolCallId, warning.text)
  })
  pi.on("tool_result", async ({ toolName, toolCallId, input, content, isError }, ctx) => {
    const texts = content.filter((part) => part.type === "text").map((part) => part.text)
    const isFailure = isError && !reading.includes(toolName)
    const failure = { ...place(ctx), tool: toolName, args: input, error: texts.join("\\n") }
    const advice = isFailure ? (await ask("after-failure", failure)).text : undefined
    const added = [warnings.get(toolCallId), advice].filter(Boolean)
    warnings.delete(toolCallId)
    if (added.length > 0) return { content: [...content, ...added.map((text) => ({ type: "text", text }))] }
  })
  pi.on("agent_end", async (_event, ctx) => void (await ask("turn-end", place(ctx))))
  pi.on("session_shutdown", async (_event, ctx) => void (await ask("session-end", place(ctx))))
}

export { connectDrey as default }
`
}
