import type { Attempt } from "../formats/session/agent-memory.ts"
import type { AgentAttempt } from "./entries-of.ts"
import { lineOfText, linesOf, longestLine, longestName, shorten, shortenBoth } from "./line-of-text.ts"

type Marks = { reader?: string | undefined; solvedBy?: AgentAttempt | undefined }

/** A failed attempt as a bullet: what was tried, by whom unless it is the reader, what came of it, and what was learned. */
export function failureLine(failed: AgentAttempt, { reader, solvedBy }: Marks): string {
  const by = failed.agent === reader ? "" : ` (${lineOfText(failed.agent, longestName)})`
  const solved = solvedBy === undefined ? "" : ` ${solutionOf(failed, solvedBy)}`
  const room = longestLine - `- ${by}: ${solved}`.length
  const [reason, lesson] = [failureReason(failed.attempt), lessonOf(failed.attempt)]
  const [description] = shortenBoth(descriptionOf(failed.attempt), withLesson(reason, lesson), room)
  return `- ${description}${by}: ${withLesson(reason, lesson, room - description.length)}${solved}`
}

/** What an attempt set out to do, in a line. */
export function descriptionOf({ id, description }: Attempt): string {
  return lineOfText(description) || lineOfText(id)
}

/** Why an attempt did not succeed, in a line. */
export function failureReason({ error, output, lessons, approach }: Attempt): string {
  return firstLineOf([error, output, lessons, approach]) ?? "no details"
}

/** `(later solved by attempt-003)`, with the agent where it was another one. */
export function solutionOf(failed: AgentAttempt, { agent, attempt }: AgentAttempt): string {
  const solver = agent === failed.agent ? "" : ` of ${lineOfText(agent, longestName)}`
  return `(later solved by ${lineOfText(attempt.id, longestName)}${solver})`
}

/** The first lesson, unless it already is the reason, for want of another. */
function lessonOf({ error, output, lessons }: Attempt): string | undefined {
  if (firstLineOf([error, output]) === undefined) return undefined
  return firstLineOf([lessons?.trimStart().replace(/^[-*+]\s/, "")])
}

function firstLineOf(texts: readonly (string | null | undefined)[]): string | undefined {
  const line = texts.map((text) => linesOf(text ?? "")[0]).find((first) => first !== undefined)
  return line && lineOfText(line)
}

function withLesson(reason: string, lesson: string | undefined, room = Number.POSITIVE_INFINITY): string {
  if (lesson === undefined) return shorten(reason, room)
  const [first, second] = shortenBoth(reason, lesson, room - " (lesson: )".length)
  return `${first} (lesson: ${second})`
}
