import type { DreyCommand, JsonPart } from "../wiring.ts"

/** How Drey's MCP server is called in every client: without an underscore, which some take for the end of a name. */
const serverName = "drey"

/** The program and its arguments, as most clients want them. */
export function mcpProgram({ command, args }: DreyCommand): { command: string; args: string[] } {
  return { command, args: [...args, "mcp"] }
}

/** The server under the key where a client lists its servers. */
export function mcpPart(under: readonly string[], value: unknown): JsonPart {
  return { kind: "key", path: [...under, serverName], value }
}
