#!/usr/bin/env node
import { exitCode } from "../errors.ts"
import type { ForeignHook } from "../hooks/resident-answers.ts"
import { dayOneHelp } from "./help/day-one.ts"
import { printNow } from "./print-now.ts"

/** What users, agents and clients wait for most is answered without loading what the other commands need. */
async function main([command = "help", ...args]: string[]): Promise<void> {
  if (args.length === 0 && versionWords.has(command)) return printNow(`${DREY_VERSION}\n`)
  if (args.length === 0 && helpWords.has(command)) return printNow(dayOneHelp)
  const [client = "", event = ""] = args
  const isHook = command === "hook" && args.length === 2 && !client.startsWith("-") && !event.startsWith("-")
  if (isHook) {
    const ask = async (hook: ForeignHook) => (await import("../rpc/ask-resident.ts")).askResident(hook)
    return (await import("../hooks/run-hook.ts")).answerHook(client, event, { print: printNow, ask })
  }
  if (command === "completion" && args[1] === "--") {
    const completed = (await import("./complete-line.ts")).completeFromShapes(args)
    if (completed !== undefined) return printNow(completed)
  }
  return (await import("./run-line.ts")).runLine(process.argv)
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
