import { fileURLToPath } from "node:url"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport as OldStdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport as OldHttpClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { expect, onTestFinished, test } from "vitest"
import { startMcpHttp } from "./mcp-server.ts"
import { makeRepository } from "./run-cli.ts"
import { teamFiles } from "./team-store.ts"

const cli = fileURLToPath(new URL("../dist/cli.cjs", import.meta.url))
const info = { name: "test", version: "1" }

/** What the two generations of the official client have in common, as far as it is used here. */
type AnyClient = Pick<
  OldClient,
  | "listTools"
  | "callTool"
  | "listResources"
  | "readResource"
  | "listPrompts"
  | "getPrompt"
  | "getInstructions"
  | "close"
>
type Way = { client: AnyClient; protocol: string | undefined }

const ways: Record<string, (cwd: string) => Promise<Way>> = {
  "the official client over stdio": async (cwd) => {
    const client = new Client(info)
    await client.connect(new StdioClientTransport(stdio(cwd)))
    return { client: client as unknown as AnyClient, protocol: client.getNegotiatedProtocolVersion() }
  },
  "the official client of 2026-07-28 over stdio": async (cwd) => {
    const client = new Client(info, { versionNegotiation: { mode: "auto" } })
    await client.connect(new StdioClientTransport(stdio(cwd)))
    return { client: client as unknown as AnyClient, protocol: client.getNegotiatedProtocolVersion() }
  },
  "the official client over HTTP": async (cwd) => {
    const client = new Client(info)
    await client.connect(new StreamableHTTPClientTransport(...(await http(cwd))))
    return { client: client as unknown as AnyClient, protocol: client.getNegotiatedProtocolVersion() }
  },
  "the official client of 2026-07-28 over HTTP": async (cwd) => {
    const client = new Client(info, { versionNegotiation: { mode: "auto" } })
    await client.connect(new StreamableHTTPClientTransport(...(await http(cwd))))
    return { client: client as unknown as AnyClient, protocol: client.getNegotiatedProtocolVersion() }
  },
  "the first official client over stdio": async (cwd) => {
    const client = new OldClient(info)
    await client.connect(new OldStdioClientTransport(stdio(cwd)))
    return { client, protocol: "2025-11-25" }
  },
  "the first official client over HTTP": async (cwd) => {
    const client = new OldClient(info)
    await client.connect(new OldHttpClientTransport(...(await http(cwd))) as Parameters<typeof client.connect>[0])
    return { client, protocol: "2025-11-25" }
  },
}

test.each(Object.entries(ways))(
  "%s lists and calls every tool, and reads what there is to read",
  async (name, connect) => {
    const { client, protocol } = await connect(makeRepository(teamFiles))
    onTestFinished(() => client.close())
    expect(protocol).toBe(name.includes("2026") ? "2026-07-28" : "2025-11-25")
    expect(client.getInstructions()).toContain("get_task_context")
    const { tools } = await client.listTools()
    const called = new Set<string>()
    const call = async (tool: string, given: Record<string, unknown> = {}) => {
      called.add(tool)
      const result = (await client.callTool({ name: tool, arguments: given })) as {
        content: { text: string }[]
        structuredContent?: Record<string, string>
        isError?: boolean
      }
      return { ...result, text: result.content[0]?.text ?? "", data: result.structuredContent ?? {} }
    }
    expect((await call("get_task_context", { task: "Renew the login token" })).text).toContain(
      "Log in with short tokens",
    )
    expect((await call("report_outcome", { outcome: "success" })).text).toContain("Recorded: success")
    expect((await call("memory_classify", { content: "Always sign commits" })).text).toMatch(/^POLICY: /)
    const stored = await call("memory_write", { content: "Queues block at noon", class: "LOCAL" })
    expect(stored.text).toBe(`Stored LOCAL memory ${stored.data.id} at ${stored.data.path}`)
    expect((await call("memory_search", { query: "queues" })).text).toContain("Queues block at noon")
    const promoted = await call("memory_promote", { id: stored.data.id, targetClass: "DECISION" })
    expect(promoted.text).toMatch(/^Promoted memory /)
    expect((await call("memory_delete", { id: promoted.data.id })).text).toMatch(/^Deleted memory /)
    expect((await call("memory_audit")).text).toContain(" promote ")
    const begun = await call("session_record", { action: "start", text: "Add a login", agent: "kane" })
    expect(begun.text).toMatch(/^Began session /)
    expect((await call("session_recall", { view: "list" })).text).toContain("Add a login")
    expect([...called].sort()).toEqual(tools.map((tool) => tool.name).sort())

    expect(await call("memory_delete", { id: "none" })).toMatchObject({ isError: true, text: "Memory none not found" })
    await expect(client.callTool({ name: "no_such_tool", arguments: {} })).rejects.toThrow("Unknown tool: no_such_tool")
    const { resources } = await client.listResources()
    for (const { uri } of resources) expect((await client.readResource({ uri })).contents).toHaveLength(1)
    expect(resources.map(({ uri }) => uri)).toContain("drey://agents/kane/history")
    await expect(client.readResource({ uri: "drey://agents/nobody/history" })).rejects.toThrow("not found")
    expect((await client.listPrompts()).prompts.map((prompt) => prompt.name)).toEqual(["team_knowledge"])
    const { messages } = await client.getPrompt({ name: "team_knowledge", arguments: { topic: "login" } })
    expect(JSON.stringify(messages)).toContain("Log in with short tokens")
  },
)

function stdio(cwd: string) {
  const home = makeRepository({})
  const env = { PATH: process.env.PATH ?? "", HOME: home, DREY_HOME: home }
  return { command: process.execPath, args: [cli, "mcp"], cwd, env, stderr: "inherit" as const }
}

async function http(cwd: string): Promise<[URL, { requestInit: RequestInit }]> {
  const { url, token } = await startMcpHttp(cwd)
  return [new URL(url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } }]
}
