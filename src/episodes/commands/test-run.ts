import type { TranscriptEvent } from "../../clients/transcript-event.ts"
import type { Command } from "../../formats/commands/split-command.ts"
import { findTestCommand, mayRunTests } from "./test-command.ts"
import { readTestSummary, type TestVerdict } from "./test-summary.ts"

/**
 * Whether a result is that of a test run, and its verdict: by the exit code if it is the tests' own, else by the
 * summary. A pipe has the exit code of `tail`, and 126 or 127 mean that nothing ran.
 */
export function readTestRun(result: TranscriptEvent, commands: readonly Command[]): Partial<TestVerdict> | undefined {
  if (result.incident !== undefined || !ran(result)) return undefined
  const tests = findTestCommand(commands)
  if (tests === undefined) {
    return mayRunTests(commands) || testTool.test(result.tool ?? "")
      ? readTestSummary(result.text, "maybe tests")
      : undefined
  }
  const summary = readTestSummary(result.text, "tests")
  const exit = exitOf(result)
  if (exit === 126 || exit === 127) return summary
  if (exit === 0 && tests.exitTells !== "never") return { ...summary, verdict: "passed" }
  if (exit !== undefined && exit !== 0 && tests.exitTells === "always") return { ...summary, verdict: "failed" }
  return summary
}

const testTool = /^(?:mcp_{1,2}\w{1,60}_)?run_?(?:unit_?)?tests?$/i

function ran({ text }: TranscriptEvent): boolean {
  return !/^(?:Command running in background|Command was manually backgrounded|Process running with session)/m.test(
    text.slice(0, 300),
  )
}

/** An exit code printed in the log is used if the result has none. */
function exitOf({ exitCode, isError }: TranscriptEvent): number | undefined {
  return exitCode ?? (isError === undefined ? undefined : isError ? 1 : 0)
}
