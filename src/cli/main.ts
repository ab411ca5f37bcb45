#!/usr/bin/env node
import { exitCode } from "../errors.ts"
import { runQuickWay } from "./quick-way.ts"

async function main(): Promise<void> {
  process.stdout.on("error", endWithoutReader)
  process.stderr.on("error", () => {}) // nobody can be told; the answer itself is not lost with it
  const quick = await runQuickWay(process.argv.slice(2))
  process.exitCode = quick ?? (await (await import("./long-way.ts")).runLongWay(process.argv))
}

function endWithoutReader(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") process.exit(exitCode.done) // a reader such as `head` may close the pipe early: no error of ours
  process.stderr.write(`drey: the answer cannot be written: ${error.message}\n`)
  process.exit(exitCode.usage)
}

// No await here: this file is built as CommonJS, which starts sooner.
main().catch((error: unknown) => {
  process.stderr.write(`drey: internal error: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = exitCode.bug
})
