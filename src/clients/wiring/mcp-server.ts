import type { DreyCommand, JsonPart } from "../wiring.ts"

/** The name of Drey's MCP server in every client: no underscore, which some clients treat as a separator. */
const serverName = "drey"

/** The program and its arguments, in the form that most clients use. */
export function mcpProgram({ command, args }: DreyCommand): { command: string; args: string[] } {
  return { command, args: [...args, "mcp"] }
}

/** The entry under the key where a client lists its servers. */
export function mcpPart(under: readonly string[], value: unknown): JsonPart {
  return { kind: "key", path: [...under, serverName], value }
}
