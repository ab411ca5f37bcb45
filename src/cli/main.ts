#!/usr/bin/env node
import { exitCode } from "../errors.ts"
import { runQuickWay } from "./quick-way.ts"

async function main(): Promise<void> {
  // A reader such as `head` may close the pipe early: that is no error of ours.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(exitCode.done)
    throw error
  })
  const quick = await runQuickWay(process.argv.slice(2))
  process.exitCode = quick ?? (await (await import("./long-way.ts")).runLongWay(process.argv))
}

void main() // no await here: this file is built as CommonJS, which starts sooner
