import {
  type CallToolResult,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server"
import type { Answer } from "./call.ts"
import type { Caller, Calls, Outcome } from "./calls.ts"
import { clientRoots } from "./client-roots.ts"
import { instructions } from "./instructions.ts"
import type { CallLimit } from "./limit-calls.ts"
import { progressOf } from "./progress-of.ts"
import { promptParams, resourceParams } from "./request-params.ts"
import { resourceTemplates } from "./resources.ts"
import { findTool, listTools, type Serving } from "./served-tools.ts"
import { sessionOf } from "./session-of.ts"
import { teamKnowledge } from "./team-knowledge.ts"

declare const DREY_VERSION: string

export type ServerSettings = Serving & {
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
  const ask = async <Result>(context: ServerContext, question: (calls: Calls, caller: Caller) => Promise<Result>) => {
    const caller: Caller = {
      agent: settings.agent,
      client: server.getClientVersion()?.name,
      session: sessionOf(context.mcpReq._meta, settings.environment),
      folders: settings.root === undefined ? [...(await roots()), ...settings.folders] : [settings.root],
      progress: progressOf(context),
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

function toResult({ text, data, isError }: Answer): CallToolResult {
  return {
    content: [{ type: "text", text }],
    ...(data === undefined ? {} : { structuredContent: data }),
    ...(isError === undefined ? {} : { isError }),
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
