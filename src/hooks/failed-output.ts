import { actionOfTool } from "../clients/action-of-tool.ts"
import { textOf } from "../clients/json-value.ts"

/**
 * The output of a failed command; undefined for all others. For clients that send no exit code to this hook: some print
 * it in the text, for others only the text shows the failure.
 */
export function failedOutput(tool: unknown, output: unknown): string | undefined {
  const text = textOf(output)
  const name = textOf(tool)
  if (text === undefined || name === undefined || actionOfTool(name) !== "run") return undefined
  const code = exitCode.exec(text.slice(-endLength))?.[1] ?? exitCode.exec(text.slice(0, endLength))?.[1]
  if (code !== undefined) return Number(code) === 0 ? undefined : text
  return signs.test(text.slice(-mostLookedAt)) ? text : undefined
}

const endLength = 400
const mostLookedAt = 20_000
const exitCode = /\bexit(?:ed)?(?: with)?(?: exit)? code:? (-?\d{1,9})\b/i

/** How compilers, test runners and languages start the line that reports a failure. */
const signs =
  /^[ \t]{0,8}(?:\S{1,200}:\d{1,6}(?::\d{1,6})?:? (?:fatal )?error\b|(?:fatal|error|panic|npm error)\b|npm ERR!|error\[E\d|Traceback \(most recent|not ok \d|FAIL(?:ED|URES)?\b|[\w.]{0,80}(?:Error|Exception)(?::|$)|.{0,120}: command not found$|\d{1,6} failed\b|BUILD FAILED)/im
