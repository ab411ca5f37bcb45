import { cutBlocks, cutToLast } from "./cut-blocks.ts"
import { type JsonObject, objectsOf, textOf } from "./json-value.ts"

/** The text of a message, which is one string or a list of parts. */
export function partsText(content: unknown): string {
  if (typeof content === "string") return content
  return objectsOf(content)
    .flatMap((part) => textOf(part.text) ?? [])
    .join("\n")
}

/** The user's own text; "" for the client's: results, its context, its own prompts. */
export function geminiWords({ content, displayContent }: JsonObject): string {
  const given = wordsIn(content)
  if (given === "" || byClient.test(given)) return ""
  if (displayContent === undefined) return given
  const shown = wordsIn(displayContent)
  return shown.startsWith("/") && shown !== given ? "" : shown // a client command that expands to a prompt
}

function wordsIn(content: unknown): string {
  if (objectsOf(content).some((part) => part.functionResponse !== undefined)) return ""
  // Hooks add text before and after the prompt, which the client escapes; referenced files are inserted as they are.
  return cutBlocks(cutToLast(partsText(content), referencedFiles), hookContext).trim()
}

const hookContext = { open: "<hook_context>", close: "</hook_context>" }
const referencedFiles = { open: "--- Content from referenced files ---", close: "--- End of content ---" }

const byClient =
  /^(?:<session_context>|System: Please continue\.$|You are an AI agent that brings the power of Gemini directly into the terminal\.)/

/** The session's working folder, from its first message. */
export function workspaceIn(text: string): string | undefined {
  if (!text.startsWith("<session_context>")) return undefined
  return /^- \*\*Workspace Directories:\*\*\n {2}- ([^\n]{1,1000})$/m.exec(text)?.[1]
}
