import { cutBlocks, cutToLast } from "../injected-text.ts"
import { type JsonObject, objectOf, objectsOf, textOf } from "../json-value.ts"

/** The text of a message, which is one string or a list of parts. */
export function geminiPartsText(content: unknown): string {
  if (typeof content === "string") return content
  return objectsOf(content)
    .flatMap((part) => textOf(part.text) ?? [])
    .join("\n")
}

/** The user's own text; "" for the client's: results, its context, its own prompts. */
export function geminiUserText({ content, displayContent }: JsonObject): string {
  const given = wordsIn(content)
  if (given === "" || byClient.test(given)) return ""
  if (displayContent === undefined) return given
  const shown = wordsIn(displayContent)
  return shown.startsWith("/") && shown !== given ? "" : shown // a client command that expands to a prompt
}

function wordsIn(content: unknown): string {
  if (objectsOf(content).some((part) => part.functionResponse !== undefined)) return ""
  // Hooks add text before and after the prompt, which the client escapes; referenced files are inserted as they are.
  return cutBlocks(cutToLast(geminiPartsText(content), referencedFiles), hookContext).trim()
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

export type GeminiOutput = { text: string; isError: boolean; exitCode?: number; incident?: "refused" }

/** The outcome of a call. A failed command counts as a success here: only its output shows how it ended. */
export function geminiOutput(call: JsonObject): GeminiOutput {
  if (call.status === "cancelled") return { text: "", isError: false, incident: "refused" }
  const text = cutBlocks(rawGeminiOutput(call), { open: "<hook_context>", close: "</hook_context>" })
    .replace(/<\/?untrusted_context>/g, "")
    .trim()
  const isError = call.status === "error"
  return call.name === "run_shell_command" ? { ...outputOfRun(text), isError } : { text, isError }
}

/** The output including injected text. */
export function rawGeminiOutput(call: JsonObject): string {
  const responses = objectsOf(call.result).map((part) => objectOf(part.functionResponse)?.response)
  return objectsOf(responses)
    .flatMap(({ error, output }) => textOf(error) ?? textOf(output) ?? [])
    .join("\n")
}

function outputOfRun(text: string): { text: string; exitCode?: number } {
  const end = text.slice(-lengthOfEnd)
  const code = /(?:\n|\\n)Exit Code: (-?\d{1,9})\b/.exec(end)?.[1]
  const output = (text.slice(0, -lengthOfEnd) + end.replace(facts, "")).replace(
    /^(?:Command: [^\n]{0,2000}\nDirectory: [^\n]{0,1000}\n)?Output: /,
    "",
  )
  return { text: output, ...(code === undefined ? {} : { exitCode: Number(code) }) }
}

const lengthOfEnd = 600
/** Lines that the client appends to an output; `Error` only when there was none. */
const facts =
  /(?:\n(?:Error: \(none\)|Exit Code: [^\n]{0,20}|Signal: [^\n]{0,40}|Background PIDs: [^\n]{0,200}|Process Group PGID: [^\n]{0,20})){1,6}$/
