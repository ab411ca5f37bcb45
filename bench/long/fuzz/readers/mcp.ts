import { Agent } from "node:http"
import { PassThrough } from "node:stream"
import { isDeepStrictEqual } from "node:util"
import { serveStdio } from "@modelcontextprotocol/server/stdio"
import { openCalls } from "../../../../src/mcp/calls.ts"
import { limitCalls, makeServer, type ServerSettings } from "../../../../src/mcp/mcp-server.ts"
import { serveHttp } from "../../../../src/mcp/serve-http.ts"
import { type ReadMessage, readMessages, stdioTransport } from "../../../../src/mcp/stdio-transport.ts"
import { expectThat, type Reader } from "../reader.ts"
import { makeFuzzProject } from "./fuzz-project.ts"
import { sendRequest } from "./send-request.ts"

const call = (name: string, given: object) =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: given } })
const ask = (method: string, params: object) => JSON.stringify({ jsonrpc: "2.0", id: "a", method, params })

const requests = [
  ask("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: { roots: { listChanged: true } },
    clientInfo: { name: "x", version: "1" },
  }),
  ask("tools/list", { cursor: "x" }),
  ask("resources/read", { uri: "drey://decisions/sem-0123456789ab" }),
  ask("prompts/get", { name: "team-knowledge", arguments: { topic: "redis" } }),
  call("get_task_context", { task: "sessions in redis", agent: "kane", paths: ["src/a.ts"], budget: 500 }),
  call("memory_classify", { content: "We use Redis", class: "DECISION" }),
  call("memory_write", {
    content: "We use Redis",
    title: "Redis",
    author: "Kane",
    class: "LOCAL",
    scope: "team",
    tags: ["a"],
  }),
  call("memory_read", { ids: ["sem-3f9a", "m:4f2a91"] }),
  call("recent", { limit: 3, since: "7d", agent: "kane" }),
  call("memory_search", { query: 'type:decision "redis" -x', agent: "kane", all: true, limit: 5 }),
  call("memory_promote", { id: "mem-1", targetClass: "POLICY", actor: "Kane" }),
  call("memory_audit", { limit: 5, verify: true }),
  call("report_outcome", { outcome: "success", task: "t-0a1b2c3d", helped: ["m:1a2b3c"], note: "ok" }),
  call("session_record", { action: "start", text: "Prices", agent: "kane" }),
  call("session_record", { action: "discover", text: "Cents", type: "code_pattern", level: "high", files: ["a.ts"] }),
  call("session_recall", { view: "similar", approach: "parseFloat", topic: "prices" }),
  call("squad_state_write", { key: "notes/../x.md", content: "x" }),
  call("squad_state_read", { key: "identity/now.md" }),
]

/** Lines of a stream, cut anywhere: how it is cut changes nothing. */
export const mcpLines: Reader = {
  name: "mcp-lines",
  share: 60,
  examples: () => [requests.join("\n"), `${requests[0]}\r\n\n${requests[1]}`],
  open: () => ({
    async read(input) {
      const whole = await all(readMessages(inPieces(input, input.length || 1), 4096))
      const pieces = await all(readMessages(inPieces(input, 61), 4096))
      expectThat(isDeepStrictEqual(whole, pieces), "how a stream is cut changes nothing")
      return whole
    },
  }),
}

/** The whole server on two streams; after whatever was sent, it still answers. */
export const mcpStdio: Reader = {
  name: "mcp-stdio",
  share: 8,
  patience: 5000,
  largest: 0,
  examples: () => requests,
  open() {
    const { settings, told, close } = openSettings()
    const [input, output] = [new PassThrough(), new PassThrough()]
    const service = serveStdio(() => makeServer(settings), { transport: stdioTransport(input, output) })
    const waiters = new Map<string, () => void>()
    let rest = ""
    output.setEncoding("utf8").on("data", (text: string) => {
      const lines = (rest + text).split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) {
        const { id, method } = JSON.parse(line) as { id?: unknown; method?: unknown }
        if (method !== undefined && id !== undefined)
          input.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: { roots: [] } })}\n`)
        else waiters.get(String(id))?.()
      }
    })
    let asked = 0
    input.write(`${requests[0]}\n${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`)
    return {
      async read(bytes) {
        told.length = 0
        const id = `still there? ${asked++}`
        const answered = new Promise<void>((resolve) => waiters.set(id, resolve))
        input.write(bytes)
        input.write(`\n${JSON.stringify({ jsonrpc: "2.0", id, method: "ping" })}\n`)
        await within(answered, "the server answers after it")
        waiters.delete(id)
        await settings.limit.idle()
        expectThat(told.length === 0, `nothing goes wrong inside: ${told[0]}`)
        return undefined
      },
      async close() {
        await service.close()
        await close()
      },
    }
  },
}

/** The same over HTTP. */
export const mcpHttp: Reader = {
  name: "mcp-http",
  share: 8,
  patience: 5000,
  largest: 0,
  examples: () =>
    requests.map(
      (body) => `POST /mcp\ncontent-type: application/json\naccept: application/json, text/event-stream\n\n${body}`,
    ),
  async open() {
    const { settings, told, close } = openSettings()
    const token = "made-up-for-the-fuzzer"
    const service = await serveHttp(settings, { port: 0, token })
    const agent = new Agent({ keepAlive: true })
    const port = Number(new URL(service.url).port)
    return {
      async read(input) {
        told.length = 0
        const sent = sendRequest(port, input.toString("utf8"), { authorization: `Bearer ${token}` }, agent)
        const answered = await within(sent, "the server answers")
        expectThat(told.length === 0, `nothing goes wrong inside: ${told[0]}`)
        expectThat((answered?.status ?? 0) < 500, `no answer is ${answered?.status}: ${answered?.text.slice(0, 200)}`)
        return undefined
      },
      async close() {
        agent.destroy()
        await service.close()
        await close()
      },
    }
  },
}

function openSettings(): { settings: ServerSettings; told: string[]; close: () => Promise<void> } {
  const project = makeFuzzProject()
  const told: string[] = []
  const warn = (message: string) => void told.push(message)
  const { root, environment } = project
  const calls = openCalls({ environment: { ...environment, DREY_DEBUG: "1" }, warn })
  const settings: ServerSettings = {
    profile: "squad",
    toolNames: "plain",
    agent: undefined,
    root,
    folders: [root],
    environment,
    calls: async () => calls,
    limit: limitCalls(4),
    warn,
  }
  return {
    settings,
    told,
    async close() {
      await calls.close()
      project.check()
      project.remove()
    },
  }
}

async function within<Result>(work: Promise<Result>, promise: string): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`broken promise: ${promise}`)), 8000)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function all(messages: AsyncIterable<ReadMessage>): Promise<ReadMessage[]> {
  const read: ReadMessage[] = []
  for await (const message of messages) read.push(message)
  return read
}
