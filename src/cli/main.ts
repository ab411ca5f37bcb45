#!/usr/bin/env node
import { exitCode } from "../errors.ts"
import { answerHook, startMcpFast } from "./fast-start.ts"

/**
 * Agents make many calls, and wait for a hook before each; clients wait for the MCP server. This file contains what both need to start,
 * and loads the rest for everything else.
 */
async function main([command, ...args]: string[]): Promise<void> {
  const [client = "", event = ""] = args
  const isHook = command === "hook" && args.length === 2 && !client.startsWith("-") && !event.startsWith("-")
  if (isHook) return answerHook(client, event)
  const served = command === "mcp" ? await startMcpFast(args) : undefined
  if (served === undefined) return (await import("./run-line.ts")).runLine(process.argv)
  process.exitCode = served
}

// No await here: this file is built as CommonJS, which starts sooner.
main(process.argv.slice(2)).catch(async (error: unknown) => {
  process.exitCode = exitCode.bug
  const { writeError } = await import("./output.ts")
  writeError(`drey: internal error: ${error instanceof Error ? error.message : String(error)}\n`)
})
