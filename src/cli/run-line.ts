import { exitCode } from "../errors.ts"
import { takeOutputFlags } from "./output-flags.ts"
import { runQuickWay } from "./quick-way.ts"
import { writeError } from "./write-out.ts"

/** Runs any command line, the quick way where that will do; `process.exitCode` tells how it ended. */
export async function runLine(argv: string[]): Promise<void> {
  process.stdout.on("error", endWithoutReader)
  process.stderr.on("error", () => {}) // nobody can be told; the answer itself is not lost with it
  const { rest } = takeOutputFlags(argv)
  const quick = await runQuickWay(rest.slice(2))
  process.exitCode = quick ?? (await (await import("./long-way.ts")).runLongWay(rest))
}

function endWithoutReader(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") process.exit(exitCode.done) // a reader such as `head` may close the pipe early: no error of ours
  writeError(`drey: the answer cannot be written: ${error.message}\n`)
  process.exit(exitCode.usage)
}
