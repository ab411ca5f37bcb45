#!/usr/bin/env node
import { exitCode } from "../errors.ts"
import { answerHook, printNow, startMcpFast } from "./fast-start.ts"
import { dayOneHelp } from "./help/day-one.ts"

/**
 * Agents make many calls, and wait for a hook before each; clients wait for the MCP server. This file contains what both need to start,
 * and loads the rest for everything else.
 */
async function main([command = "help", ...args]: string[]): Promise<void> {
  if (args.length === 0 && versionWords.has(command)) return printNow(`${DREY_VERSION}\n`)
  if (args.length === 0 && helpWords.has(command)) return printNow(dayOneHelp)
  const [client = "", event = ""] = args
  const isHook = command === "hook" && args.length === 2 && !client.startsWith("-") && !event.startsWith("-")
  if (isHook) return answerHook(client, event)
  if (command === "completion" && args[1] === "--") {
    const completed = (await import("./complete-fast.ts")).completeFast(args)
    if (completed !== undefined) return printNow(completed)
  }
  const served = command === "mcp" ? await startMcpFast(args) : undefined
  if (served === undefined) return (await import("./run-line.ts")).runLine(process.argv)
  process.exitCode = served
}

declare const DREY_VERSION: string // replaced by the build

const versionWords = new Set(["--version", "-v", "-V", "version"])
const helpWords = new Set(["help", "--help", "-h"])

// No await here: this file is built as CommonJS, which starts sooner.
main(process.argv.slice(2)).catch(async (error: unknown) => {
  process.exitCode = exitCode.bug
  const { writeError } = await import("./output.ts")
  writeError(`drey: internal error: ${error instanceof Error ? error.message : String(error)}\n`)
})
