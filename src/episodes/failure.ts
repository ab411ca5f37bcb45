import type { EpisodeEvent } from "./episode.ts"

/** A result that went wrong: an error, or a test run that is red although the pipe behind it was content. */
export function isFailure(event: EpisodeEvent): boolean {
  return event.kind === "tool_result" && (event.is_error === true || event.test === "failed")
}

/** A result that went well, of something that can go wrong. */
export function isSuccess(event: EpisodeEvent): boolean {
  return event.kind === "tool_result" && !isFailure(event) && event.incident === undefined
}

/** What makes two results the same attempt: the command's head, else the tool and the file it was for. */
export function attemptOf(event: EpisodeEvent): string | undefined {
  if (event.head !== undefined) return event.head
  if (event.tool_name === undefined) return undefined
  return event.file === undefined ? event.tool_name : `${event.tool_name} ${event.file}`
}
