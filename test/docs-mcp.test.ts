import { expect, test } from "vitest"
import { allTools, listTools, squadTools } from "../src/mcp/tools.ts"
import { readPage, takeBlocks } from "./doc-blocks.ts"
import { makeRepository, runCli } from "./run-cli.ts"

const text = readPage("docs/mcp.md")

test("what the page has a client start is an MCP server", async () => {
  const [settings = ""] = takeBlocks("docs/mcp.md", "json", 1)
  const { command, args } = JSON.parse(settings).mcpServers.drey
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "a client", version: "1" } }
  const input = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`
  const { stdout } = await runCli(args, { cwd: makeRepository({ ".squad/team.md": "# Team\n" }), input })
  expect([command, JSON.parse(stdout).result.serverInfo.name]).toEqual(["drey", "drey"])
})

test("docs/mcp.md names every tool with its arguments, those that must be given marked, and the size of the list", () => {
  for (const { name, inputSchema } of Object.values(allTools)) {
    const [, names = ""] = new RegExp(`^\\| \`${name}\` \\|.*\\| (.*) \\|$`, "m").exec(text) ?? []
    const required: readonly string[] = "required" in inputSchema ? inputSchema.required : []
    const marked = Object.keys(inputSchema.properties).map((key) => `\`${key}${required.includes(key) ? "*" : ""}\``)
    expect(names, name).toBe(marked.join(", "))
  }
  for (const name of Object.keys(squadTools)) expect(text).toContain(`\`${name}\``)
  const bytes = Buffer.byteLength(JSON.stringify({ tools: listTools({ profile: "drey", toolNames: "plain" }) }))
  expect(text).toContain(`takes ${bytes.toLocaleString("en")} bytes`)
})
