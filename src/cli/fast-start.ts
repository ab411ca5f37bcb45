import { join } from "node:path"
import { enableCompileCache } from "../compile-cache.ts"
import { dreyHome } from "../config.ts"
import { readInput } from "../hooks/hook-input.ts"
import { runHook } from "../hooks/run-hook.ts"
import type { McpOptions } from "../mcp/run-mcp.ts"
import { printNow } from "./print-now.ts"

/** Answers a client's hook on stdout and ends the process, always with success: clients treat anything else as a refusal. */
export async function answerHook(client: string, event: string, root?: string): Promise<void> {
  const leave = () => process.exit(0)
  process.on("uncaughtException", leave)
  // A client may show what a hook prints, and hides what its background processes print.
  if (process.env.DREY_LOG) process.env.DREY_LOG_FILE ??= join(dreyHome(process.env), "log", "drey.log")
  const environment = root === undefined ? process.env : { ...process.env, DREY_TEAM_ROOT: root }
  const program = process.argv[1] ?? ""
  const answer = await runHook({ client, event, readInput, environment, program })
  printNow(answer === "" ? "" : `${answer}\n`, leave)
}

/**
 * Runs `mcp` on stdin and stdout, as clients start it with every session, without loading what the other commands need. Undefined if that
 * is not possible: an unknown argument, or one that needs an error message.
 */
export async function startMcpFast(args: readonly string[]): Promise<number | undefined> {
  const options = readArguments(args)
  if (options === undefined) return undefined
  enableCompileCache(process.env)
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
