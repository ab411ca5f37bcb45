import { actionOfTool } from "../clients/action-of-tool.ts"
import { commandsOf, filesOf } from "../clients/describe-input.ts"
import { type JsonObject, objectsOf, parseObject, textOf } from "../clients/json-value.ts"
import { isOwnTool } from "../clients/own-tools.ts"
import { plainPrograms } from "../formats/commands/known-programs.ts"
import type { ToolCall } from "../recall/tool-call.ts"

const longestText = 4000

/** A call as guards match it; undefined for one that changes and runs nothing, and for Drey's own tools. */
export function readToolCall(tool: unknown, input: unknown): ToolCall | undefined {
  const name = textOf(tool)
  if (name === undefined || isOwnTool(name)) return undefined
  const given = parseObject(input) ?? {}
  const action = actionOfTool(name)
  if (action === "read" || action === "search" || action === "ask") return undefined
  const patch = patchIn(given) ?? (textOf(input)?.startsWith(patchStart) ? textOf(input) : undefined)
  if (patch !== undefined) return { tool: name, command: undefined, paths: filesOf({ patch }), text: cut(patch) }
  const named = action === "edit" ? [] : commandsOf(given)
  const commands = named.length === 0 && action === "other" ? commandsIn(name, given) : named
  return {
    tool: name,
    command: commands.length === 0 ? undefined : commands.join("\n"),
    paths: commands.length > 0 ? [] : filesOf(given),
    text: newText(given),
  }
}

/** The shell command that an MCP tool named after a program stands for: `mcp__git__git_push`, `docker_run`. */
function commandsIn(tool: string, input: JsonObject): string[] {
  const [program = "", ...subcommand] = (tool.split("__").at(-1) ?? "").toLowerCase().split(/[_-]/)
  if (subcommand.length === 0 || !plainPrograms.has(program)) return []
  const values = Object.values(input).flatMap((value) => {
    const text = textOf(value)
    return text === undefined || text.length > 200 || text.includes("\n") ? [] : [text]
  })
  return [[program, ...subcommand, ...values].join(" ")]
}

const patchStart = "*** Begin Patch"

/** Codex passes a patch as the command of a tool. */
function patchIn({ command, input, patch }: JsonObject): string | undefined {
  return [command, input, patch].map(textOf).find((each) => each?.trimStart().startsWith(patchStart))
}

const textKeys =
  "new_string newString new_str newText new_source content contents file_text text code_edit CodeContent".split(" ")

function newText(input: JsonObject): string | undefined {
  const places = [input, ...objectsOf(input.edits), ...objectsOf(input.replacements)]
  const texts = places.flatMap((place) => textKeys.flatMap((key) => textOf(place[key]) ?? []))
  return texts.length === 0 ? undefined : cut(texts.join("\n"))
}

function cut(text: string): string {
  return text.slice(0, longestText)
}
