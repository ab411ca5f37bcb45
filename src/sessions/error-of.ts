import { findTellingLine } from "../formats/error-line.ts"
import type { Attempt } from "../formats/session/agent-memory.ts"

const longestRead = 20_000

/** The line that says most about what went wrong in an attempt; undefined when it has neither an error nor an output. */
export function errorOf({ error, output }: Attempt): string | undefined {
  for (const text of [error, output]) {
    const line = findTellingLine(text?.slice(0, longestRead) ?? "")
    if (line !== undefined) return text?.slice(line.start, line.end).trim()
  }
  return undefined
}
