import { fileURLToPath } from "node:url"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport as OldStdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport as OldHttpClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { onTestFinished } from "vitest"
import { startMcpHttp } from "./mcp-server.ts"
import { makeRepository } from "./run-cli.ts"
import { trustForTest } from "./trust-for-test.ts"

export type ToolAnswer = {
  content: { type: string; text: string }[]
  structuredContent?: Record<string, string>
  isError?: boolean
}
type CallOptions = {
  signal?: AbortSignal
  onprogress?: (progress: { progress: number; total?: number | undefined }) => void
}

/** What the generations of the official client have in common, as far as tests use it. */
export type OfficialClient = Pick<
  OldClient,
  | "listTools"
  | "listResources"
  | "listResourceTemplates"
  | "readResource"
  | "listPrompts"
  | "getPrompt"
  | "getInstructions"
> & {
  call(name: string, given?: Record<string, unknown>, options?: CallOptions): Promise<ToolAnswer>
  protocol: string | undefined
}

const info = { name: "test", version: "1" }
const cli = fileURLToPath(new URL("../dist/cli.cjs", import.meta.url))

/** For tests: the built server in the hands of the official client, of each generation and over each transport. */
export const officialClients: Record<string, (cwd: string) => Promise<OfficialClient>> = {
  "the official client over stdio": (cwd) => connect(new Client(info), new StdioClientTransport(stdio(cwd))),
  "the official client of 2026-07-28 over stdio": (cwd) => connect(newest(), new StdioClientTransport(stdio(cwd))),
  "the official client over HTTP": async (cwd) =>
    connect(new Client(info), new StreamableHTTPClientTransport(...(await http(cwd)))),
  "the official client of 2026-07-28 over HTTP": async (cwd) =>
    connect(newest(), new StreamableHTTPClientTransport(...(await http(cwd)))),
  "the first official client over stdio": (cwd) => connectOld(new OldStdioClientTransport(stdio(cwd))),
  "the first official client over HTTP": async (cwd) =>
    connectOld(new OldHttpClientTransport(...(await http(cwd))) as OldTransport),
}

function newest(): Client {
  return new Client(info, { versionNegotiation: { mode: "auto" } })
}

async function connect(client: Client, transport: Parameters<Client["connect"]>[0]): Promise<OfficialClient> {
  await client.connect(transport)
  onTestFinished(() => client.close())
  return Object.assign(client as unknown as OldClient, {
    call: async (name: string, given: Record<string, unknown> = {}, options: CallOptions = {}) =>
      (await client.callTool({ name, arguments: given }, options)) as ToolAnswer,
    protocol: client.getNegotiatedProtocolVersion(),
  })
}

type OldTransport = Parameters<OldClient["connect"]>[0]

async function connectOld(transport: OldTransport): Promise<OfficialClient> {
  const client = new OldClient(info)
  await client.connect(transport)
  onTestFinished(() => client.close())
  return Object.assign(client, {
    call: async (name: string, given: Record<string, unknown> = {}, options: CallOptions = {}) =>
      (await client.callTool({ name, arguments: given }, undefined, options)) as ToolAnswer,
    protocol: "2025-11-25",
  })
}

function stdio(cwd: string) {
  const home = makeRepository({})
  trustForTest(home, cwd)
  const env = { PATH: process.env.PATH ?? "", HOME: home, DREY_HOME: home }
  return { command: process.execPath, args: [cli, "mcp"], cwd, env, stderr: "inherit" as const }
}

async function http(cwd: string): Promise<[URL, { requestInit: RequestInit }]> {
  const { url, token } = await startMcpHttp(cwd)
  return [new URL(url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } }]
}
