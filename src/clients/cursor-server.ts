import { type JsonObject, textOf } from "./json-value.ts"

/** The MCP server of a `CallMcpTool` call; Cursor prefixes its name with `user-` or the project. */
export function cursorServer(input: JsonObject): string | undefined {
  return textOf(input.server)?.split("-").at(-1)
}
