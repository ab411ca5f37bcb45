import { existsSync } from "node:fs"
import module from "node:module"
import { homedir } from "node:os"
import { join } from "node:path"
import type { McpOptions } from "../mcp/run-mcp.ts"

/**
 * Runs `mcp` on stdin and stdout, as clients start it with every session, without loading what the other commands need. Undefined when
 * that will not do: an argument not known here, or one to be told of.
 */
export async function runQuickMcp(args: readonly string[]): Promise<number | undefined> {
  const options = readArguments(args)
  if (options === undefined) return undefined
  keepCompiled()
  return (await import("../mcp/run-mcp.ts")).runMcp(options)
}

/** Node 22 and later can keep what they compiled for the next start; where Drey has no folder of its own yet, none is made for that. */
function keepCompiled(): void {
  const home = process.env.DREY_HOME ?? join(homedir(), ".drey")
  const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown }
  if (enableCompileCache && existsSync(home)) enableCompileCache(join(home, "compiled"))
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
