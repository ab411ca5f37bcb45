import type { EpisodeEvent } from "./episode.ts"

/** A failed result: an error, or a failed test run even if its pipe succeeded. */
export function isFailure(event: EpisodeEvent): boolean {
  return event.kind === "tool_result" && (event.is_error === true || event.test === "failed")
}

/** A successful result of something that can fail. */
export function isSuccess(event: EpisodeEvent): boolean {
  return event.kind === "tool_result" && !isFailure(event) && event.incident === undefined
}

/** Identifies repeated attempts: the command's head, else the tool and its file. */
export function attemptOf(event: EpisodeEvent): string | undefined {
  if (event.head !== undefined) return event.head
  if (event.tool_name === undefined) return undefined
  return event.file === undefined ? event.tool_name : `${event.tool_name} ${event.file}`
}
