import { keepCompiled } from "../keep-compiled.ts"
import type { McpOptions } from "../mcp/run-mcp.ts"

/**
 * Runs `mcp` on stdin and stdout, as clients start it with every session, without loading what the other commands need. Undefined when
 * that will not do: an argument not known here, or one to be told of.
 */
export async function runQuickMcp(args: readonly string[]): Promise<number | undefined> {
  const options = readArguments(args)
  if (options === undefined) return undefined
  keepCompiled(process.env)
  return (await import("../mcp/run-mcp.ts")).runMcp(options)
}

/** The options by name with the values they may have; a test holds them against the command's own. */
export const mcpOptions: Record<string, { key: keyof McpOptions; choices?: readonly string[] }> = {
  "--root": { key: "root" },
  "--agent": { key: "agent" },
  "--profile": { key: "profile", choices: ["drey", "squad"] },
  "--tool-names": { key: "toolNames", choices: ["plain", "dotted"] },
}

function readArguments(args: readonly string[]): McpOptions | undefined {
  const options: Record<string, string> = {}
  for (let at = 0; at < args.length; at += 2) {
    const option = mcpOptions[args[at] ?? ""]
    const value = args[at + 1]
    const isGood = option && value !== undefined && !value.startsWith("-") && !(option.key in options)
    if (!isGood || option.choices?.includes(value) === false) return undefined
    options[option.key] = value
  }
  return options as McpOptions
}
