import { enableCompileCache } from "../compile-cache.ts"
import { exitCode } from "../errors.ts"
import { takeOutputFlags, writeError } from "./output.ts"

/** Runs any command line, on the fast path if possible, and sets `process.exitCode`. */
export async function runLine(argv: string[]): Promise<void> {
  process.stdout.on("error", endWithoutReader)
  process.stderr.on("error", () => {}) // stderr is closed; stdout may still work
  enableCompileCache(process.env)
  const { rest } = takeOutputFlags(argv)
  const isQuick = rest[2] === "context" || rest[2] === "search"
  const quick = isQuick ? await (await import("./quick-line.ts")).runQuickLine(rest.slice(2)) : undefined
  process.exitCode = quick ?? (await (await import("./full-cli.ts")).runFullCli(rest))
}

function endWithoutReader(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") process.exit(exitCode.done) // a reader such as `head` may close the pipe early: not an error
  writeError(`drey: the answer cannot be written: ${error.message}\n`)
  process.exit(exitCode.usage)
}
