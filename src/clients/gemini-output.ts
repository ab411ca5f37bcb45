import { cutBlocks } from "./cut-blocks.ts"
import { type JsonObject, objectOf, objectsOf, textOf } from "./json-value.ts"

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
