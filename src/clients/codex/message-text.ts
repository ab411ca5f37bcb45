import { objectOf, objectsOf, textOf } from "../json-value.ts"

/** The text of a message or an output, which is one string, one part, or a list of parts. */
export function codexPartsText(content: unknown): string {
  if (typeof content === "string") return content
  const parts = Array.isArray(content) ? objectsOf(content) : [objectOf(content) ?? {}]
  return parts.flatMap((part) => textOf(part.text) ?? textOf(part.content) ?? []).join("\n")
}

/** The user's own text; "" for text that the client wrote in a user message. */
export function codexUserText(text: string): string {
  if (byClient.test(text)) return ""
  if (!text.startsWith("# Context from my IDE setup:")) return text.trim()
  const request = text.lastIndexOf(editorRequest) // a selected file may contain the same heading
  return request < 0 ? "" : text.slice(request + editorRequest.length).trim()
}

const byClient =
  /^\s{0,20}(?:<(?:environment_context|user_instructions|turn_aborted)>|# AGENTS\.md instructions for|Generate a file named AGENTS\.md that serves as a contributor guide for this repository\.\n|Implement the plan\.$)/

/** Editors list what is open before the request. */
const editorRequest = "## My request for Codex:\n"
