import { exitCode } from "../errors.ts"
import { takeOutputFlags } from "./output-flags.ts"
import { runQuickWay } from "./quick-way.ts"
import { writeError } from "./write-out.ts"

/** Runs any command line, on the fast path if possible, and sets `process.exitCode`. */
export async function runLine(argv: string[]): Promise<void> {
  process.stdout.on("error", endWithoutReader)
  process.stderr.on("error", () => {}) // stderr is closed; stdout may still work
  const { rest } = takeOutputFlags(argv)
  const quick = await runQuickWay(rest.slice(2))
  process.exitCode = quick ?? (await (await import("./long-way.ts")).runLongWay(rest))
}

function endWithoutReader(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") process.exit(exitCode.done) // a reader such as `head` may close the pipe early: no error of ours
  writeError(`drey: the answer cannot be written: ${error.message}\n`)
  process.exit(exitCode.usage)
}
