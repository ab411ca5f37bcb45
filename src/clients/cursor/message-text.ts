import { typedTextInTag } from "../injected-text.ts"
import { type JsonObject, textOf } from "../json-value.ts"

/** The user's own text: the content of `<user_query>`, or a whole text without wrappers. */
export function cursorUserText(text: string): { words: string; isWrapped: boolean } {
  const typed = typedTextInTag(text, "user_query")
  if (typed !== undefined) return { words: typed, isWrapped: true }
  const isClients = /^\s{0,20}<[a-z][a-z_-]{1,60}>/.test(text) // files, rules or notices without any text of the user
  return { words: isClients ? "" : text, isWrapped: isClients }
}

/** The MCP server of a `CallMcpTool` call; Cursor prefixes its name with `user-` or the project. */
export function cursorServer(input: JsonObject): string | undefined {
  return textOf(input.server)?.split("-").at(-1)
}
