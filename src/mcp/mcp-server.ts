import { fileURLToPath } from "node:url"
import {
  type CallToolResult,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type ServerContext,
  type StandardSchemaV1,
} from "@modelcontextprotocol/server"
import { isRecord, omitUndefined } from "../formats/objects.ts"
import type { Calls, McpCaller, Outcome } from "./calls.ts"
import { resourceTemplates, teamKnowledge } from "./resources.ts"
import type { ToolAnswer } from "./tool.ts"
import { findTool, listTools, type ToolProfile } from "./tools.ts"

declare const DREY_VERSION: string

export type ServerSettings = ToolProfile & {
  /** The calling agent, if a call does not name one. */
  agent: string | undefined
  /** The folder given by the user; otherwise the project is searched in the client's roots, then in `folders`. */
  root: string | undefined
  folders: readonly string[]
  environment: NodeJS.ProcessEnv
  /** Loads the call handlers. */
  calls: () => Promise<Calls>
  limit: CallLimit
  warn: (message: string) => void
}

/** The server for one connection. It only lists tools; everything that needs the project is in `calls`. */
export function makeServer(settings: ServerSettings): Server {
  const server = new Server(
    { name: "drey", title: "Drey", version: typeof DREY_VERSION === "string" ? DREY_VERSION : "0.0.0" },
    { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions, jsonSchemaValidator: noValidator },
  )
  const roots = clientRoots(server)
  const ask = async <Result>(
    context: ServerContext,
    question: (calls: Calls, caller: McpCaller) => Promise<Result>,
  ) => {
    const caller: McpCaller = {
      agent: settings.agent,
      client: server.getClientVersion()?.name,
      session: sessionInMeta(context.mcpReq._meta, settings.environment),
      folders: settings.root === undefined ? [...(await roots()), ...settings.folders] : [settings.root],
      progress: progressReporter(context),
    }
    return settings.limit.run(async () => {
      context.mcpReq.signal.throwIfAborted() // cancelled while it waited
      return question(await settings.calls(), caller)
    })
  }

  server.setRequestHandler("tools/list", () => ({ tools: listTools(settings) }) as unknown as ListToolsResult)
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const tool = findTool(params.name, settings)
    if (!tool) throw unknown("tool", params.name)
    const outcome = await ask(context, (calls, caller) => calls.callTool(tool, params.arguments ?? {}, caller))
    return toResult(outcome.kind === "answer" ? outcome.answer : { text: outcome.text, isError: true })
  })
  server.setRequestHandler("resources/list", async (_, context) => ({
    resources: answerOf(await ask(context, (calls, caller) => calls.listResources(caller))),
  }))
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [...resourceTemplates] }))
  server.setRequestHandler("resources/read", { params: resourceParams }, async ({ uri }, context) => {
    const found = answerOf(await ask(context, (calls, caller) => calls.readResource(uri, caller)))
    if (!found) throw new ResourceNotFoundError(uri)
    return { contents: [{ uri, ...found }] }
  })
  server.setRequestHandler("prompts/list", () => ({
    prompts: [{ ...teamKnowledge, arguments: [...teamKnowledge.arguments] }],
  }))
  server.setRequestHandler("prompts/get", { params: promptParams }, async ({ name, arguments: given }, context) => {
    if (name !== teamKnowledge.name) throw unknown("prompt", name)
    const topic = given.topic ?? ""
    const text = answerOf(await ask(context, (calls, caller) => calls.askTeamKnowledge(topic, caller)))
    return { description: teamKnowledge.description, messages: [{ role: "user", content: { type: "text", text } }] }
  })
  return server
}

/** Only form input would be validated, and no tool requests any; the SDK's own validator is half its size. */
const noValidator = {
  getValidator(): never {
    throw new Error("nothing is validated by JSON Schema here")
  },
}

function toResult({ text, data, isError }: ToolAnswer): CallToolResult {
  return {
    content: [{ type: "text", text }],
    ...omitUndefined({ structuredContent: data, isError }),
  }
}

function unknown(what: string, name: string): ProtocolError {
  const isName = /^[a-z][a-z_.]{0,40}$/.test(name) // anything else may be a secret
  return new ProtocolError(ProtocolErrorCode.InvalidParams, isName ? `Unknown ${what}: ${name}` : `Unknown ${what}`)
}

function answerOf<Result>(outcome: Outcome<Result>): Result {
  if (outcome.kind === "answer") return outcome.answer
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, outcome.text)
}

/** Sent to the model before it sees any tool: clients may hide tools behind a search. */
const instructions = `Drey is this team's memory.
- Before you begin a task, call get_task_context with the task in one sentence and the relevant files. Follow its rules; the rest is background and may be out of date.
- When you do not know what was decided, or why, or an error looks familiar: memory_search; memory_read returns a full item by its id. What was said or tried before: memory_search with source conversation or commit. Where the work stands: recent.
- When something is decided, or the user states a rule or a fact worth keeping: memory_write. Never secrets, never the state of the current task.
- When the task is done: report_outcome, with the handles (m:1a2b3c) of what helped and what was wrong.
- When agents share a task: session_record what you discover, try and decide; session_recall before you try something again.`

const patienceMs = 2000

/** Requests the client's open folders, once, and again when it reports a change. Most clients have none. */
function clientRoots(server: Server): () => Promise<string[]> {
  let known: Promise<string[]> | undefined
  server.setNotificationHandler("notifications/roots/list_changed", () => {
    known = undefined
  })
  return () => {
    known ??= server.getClientCapabilities()?.roots === undefined ? Promise.resolve([]) : askRoots(server)
    return known
  }
}

async function askRoots(server: Server): Promise<string[]> {
  try {
    const { roots } = await server.listRoots(undefined, { timeout: patienceMs })
    return roots.flatMap(({ uri }) => (uri.startsWith("file:") ? [fileURLToPath(uri)] : []))
  } catch {
    return [] // the client advertised roots but failed: use the working directory
  }
}

const leastPauseMs = 100

/** Sends throttled progress notifications to the client, if it requested them. */
function progressReporter({ mcpReq }: ServerContext): (done: number, total: number) => void {
  const progressToken = mcpReq._meta?.progressToken
  let last = Number.NEGATIVE_INFINITY
  let told = -1
  return (done, total) => {
    const now = performance.now()
    if (progressToken === undefined || done <= told || now - last < leastPauseMs) return
    last = now
    told = done
    const message = `Bringing the index up to date: ${done} of ${total} files`
    const params = { progressToken, progress: done, total, message }
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => {}) // the client is gone
  }
}

type Given = Readonly<Record<string, unknown>>

/** The parameters of `resources/read`. */
const resourceParams = paramsOf(({ uri }: Given) =>
  typeof uri === "string" ? { value: { uri } } : { problem: '"uri" must be a text' },
)

/** The parameters of `prompts/get`. */
const promptParams = paramsOf(({ name, arguments: given = {} }: Given) => {
  if (typeof name !== "string") return { problem: '"name" must be a text' }
  if (!isTexts(given)) return { problem: '"arguments" must be texts by their names' }
  return { value: { name, arguments: given } }
})

type ParsedParams<Params> = { value: Params } | { problem: string }

/** A schema for the SDK. Its own validation reports wrong parameters as server errors with a page of JSON. */
function paramsOf<Params>(read: (given: Given) => ParsedParams<Params>): StandardSchemaV1<Given, Params> {
  const validate = (given: unknown): StandardSchemaV1.Result<Params> => {
    const reading = read(given as Given) // the SDK rejects requests whose parameters are not an object
    return "problem" in reading ? { issues: [{ message: reading.problem }] } : reading
  }
  return { "~standard": { version: 1, vendor: "drey", validate } }
}

function isTexts(value: unknown): value is Record<string, string> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false
  return Object.values(value).every((each) => typeof each === "string")
}

/** The client's session id, from the call's metadata or the server's environment. */
export function sessionInMeta(meta: unknown, environment: NodeJS.ProcessEnv): string | undefined {
  const turn = isRecord(meta) ? meta["x-codex-turn-metadata"] : undefined
  const named = isRecord(turn) ? turn.session_id : undefined
  if (typeof named === "string" && named !== "") return named
  return environment.CLAUDE_CODE_SESSION_ID || environment.COPILOT_AGENT_SESSION_ID || undefined
}

/** Limits concurrent calls; the others wait in order. */
type CallLimit = {
  run<Result>(act: () => Promise<Result>): Promise<Result>
  /** Resolves when nothing runs and nothing waits. */
  idle(): Promise<void>
}

export function limitCalls(most: number): CallLimit {
  const waiting: (() => void)[] = []
  let idlers: (() => void)[] = []
  let running = 0
  const leave = () => {
    const next = waiting.shift()
    if (next) return next() // the next call takes the free slot
    running--
    if (running > 0) return
    for (const tell of idlers) tell()
    idlers = []
  }
  return {
    async run(act) {
      if (running < most) running++
      else await new Promise<void>((resolve) => waiting.push(resolve))
      try {
        return await act()
      } finally {
        leave()
      }
    },
    idle: () => (running === 0 ? Promise.resolve() : new Promise((resolve) => idlers.push(resolve))),
  }
}
