import { type JsonObject, textOf } from "./json-value.ts"

/** The MCP server that a call of `CallMcpTool` is for; Cursor puts `user-` or the project before its name. */
export function cursorServer(input: JsonObject): string | undefined {
  return textOf(input.server)?.split("-").at(-1)
}
