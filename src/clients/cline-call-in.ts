import { betweenTags } from "./between-tags.ts"
import { cutBlocks } from "./cut-blocks.ts"
import { type JsonObject, parseObject, textOf } from "./json-value.ts"

export type ClineCall = { tool: string; server?: string | undefined; input: JsonObject }

/**
 * Splits the model's output into its text and the one call that may follow: a tag for the tool and one for each value.
 */
export function clineCallIn(text: string): { words: string; call?: ClineCall } {
  const said = cutBlocks(text, { open: "<thinking>", close: "</thinking>" })
  const tool = callingTag.exec(said)?.[1]
  if (tool === undefined) return { words: said }
  const start = said.indexOf(`<${tool}>`)
  const body = said.slice(start)
  const values = valueTags.map((name) => [name, betweenTags(body, name)] as const)
  const input = Object.fromEntries(values.filter(([, value]) => value !== undefined))
  return { words: said.slice(0, start), call: { tool, input } }
}

/** At the start of a line, so that a tag mentioned in prose does not count. */
const callingTag =
  /^<(execute_command|read_file|write_to_file|replace_in_file|apply_diff|insert_content|search_files|list_files|list_code_definition_names|browser_action|web_fetch|use_mcp_tool|access_mcp_resource|ask_followup_question|attempt_completion|plan_mode_respond|new_task|condense)>/m

const valueTags = "command path regex url question result response server_name tool_name arguments".split(" ")

/** The text of a call whose only purpose is a message to the user. */
export function spokenBy({ tool, input }: ClineCall): string | undefined {
  const place = spokenIn.get(tool)
  return place && (textOf(input[place]) ?? "")
}

const spokenIn = new Map([
  ["ask_followup_question", "question"],
  ["attempt_completion", "result"],
  ["plan_mode_respond", "response"],
])

/** The call of an MCP tool, which the extension wraps in one of its own tools. */
export function unwrapCall(call: ClineCall): ClineCall {
  if (call.tool !== "use_mcp_tool") return call
  const { tool_name, server_name, arguments: values } = call.input
  return { tool: textOf(tool_name) ?? call.tool, server: textOf(server_name), input: parseObject(values) ?? {} }
}
