import { CommanderError } from "commander"
import { dreyHome } from "../config.ts"
import { enableCompileCache } from "../disk/home-files.ts"
import { DreyError, type ExitCode, exitCode } from "../errors.ts"
import { takeOutputFlags, writeError } from "./output.ts"
import { makeProgram, refuseOtherTools } from "./program.ts"

/** Runs any command line and sets `process.exitCode`. */
export async function runLine(argv: string[]): Promise<void> {
  process.stdout.on("error", endWithoutReader)
  process.stderr.on("error", () => {}) // stderr is closed; stdout may still work
  enableCompileCache(dreyHome(process.env))
  process.exitCode = await runCommand(takeOutputFlags(argv).rest)
}

/** The one place where errors are printed. */
async function runCommand(argv: string[]): Promise<number> {
  const reported: string[] = []
  try {
    refuseOtherTools(argv[2])
    const program = await makeProgram(argv[2], (text) => reported.push(inOurForm(text)))
    await program.parseAsync(argv)
    return Number(process.exitCode ?? exitCode.done)
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.done : exitCode.usage
    if (error instanceof DreyError) {
      reported.push(`drey: ${error.message}\n${error.hint ? `  ${error.hint}\n` : ""}`)
      return error.exitCode
    }
    return reportBug(error)
  } finally {
    if (reported.length > 0) await writeScrubbed(reported.join(""))
  }
}

/** The parser's errors and suggestions in the form of all others. */
function inOurForm(text: string): string {
  const [, problem = "", guess] = /^error: ([\s\S]*?)(?:\n\(Did you mean (.*)\?\))?\s*$/.exec(text) ?? []
  if (problem === "") return text
  const typed = /^unknown option '(--?.)/.exec(problem)?.[1]
  const isLikely = guess !== undefined && (typed === undefined || guess.startsWith(typed)) // a first letter is rarely mistyped
  return `drey: ${problem.replace(/\.$/, "")}\n  ${isLikely ? `Did you mean ${guess}?` : "Add --help for what it takes."}\n`
}

function reportBug(error: unknown): ExitCode {
  writeError(`drey: internal error: ${(error as Error)?.message ?? String(error)}\n`)
  writeError(
    process.env.DREY_DEBUG === "1" ? `${(error as Error)?.stack}\n` : "  Run it again with DREY_DEBUG=1 for a trace.\n",
  )
  return exitCode.bug
}

/** The text may repeat the user's input. The rules for secrets are loaded only here: few commands fail. */
async function writeScrubbed(text: string): Promise<void> {
  const { scrubText } = await import("../governance/redaction.ts")
  writeError(scrubText(text))
}

function endWithoutReader(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") process.exit(exitCode.done) // a reader such as `head` may close the pipe early: not an error
  writeError(`drey: the answer cannot be written: ${error.message}\n`)
  process.exit(exitCode.usage)
}
