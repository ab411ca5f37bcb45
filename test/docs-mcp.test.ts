import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { allTools } from "../src/mcp/all-tools.ts"
import { listTools } from "../src/mcp/served-tools.ts"
import { squadTools } from "../src/mcp/squad-tools.ts"

const text = readFileSync(join(import.meta.dirname, "..", "docs", "mcp.md"), "utf8")

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
