import type { Attempt, Discovery } from "../formats/session/agent-memory.ts"
import { firstInformativeLine, quoteInline, removeInvisible } from "../formats/text.ts"
import { scrubText } from "../governance/redaction.ts"
import type { AgentAttempt } from "./agent-entries.ts"

type Marks = { reader?: string | undefined; solvedBy?: AgentAttempt | undefined }

/** A failed attempt as a bullet: what was tried, by which agent unless it is the reader, the result, and the lesson. */
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

/** A discovery as a bullet, with its agent unless that is the reader. */
export function discoveryLine({ type, summary, content }: Discovery, agent?: string): string {
  const by = agent === undefined ? "" : ` (${lineOfText(agent, longestName)})`
  const head = `- [${lineOfText(type, longestName)}] `
  const told = [summary ?? "", content].map(lead).find((line) => line !== "") ?? "no details"
  return head + shorten(told, longestLine - head.length - by.length) + by
}

function lead(text: string): string {
  return lineOfText(firstInformativeLine(linesOf(text).join("\n")))
}

/** No line that Drey puts into a prompt is longer. */
export const longestLine = 200

/** The maximum share of a line for an agent's name, an id or a type. */
export const longestName = 40

/** More than any line shows, and enough that a secret which reaches over the end of it is still known for one. */
const longestRead = 2000

/**
 * Session text that is safe in a line of a system prompt: on one line, without invisible characters, secrets, personal addresses or tags,
 * and without a leading marker that would turn the line into something else.
 */
export function lineOfText(text: string, most = longestLine): string {
  const line = linesOf(text).join(" ")
  return shorten(quoteInline(scrubText(line)).replace(leadingMark, "\\$&"), most)
}

/** Markers of a heading, a quotation, a list, a rule or a code block. */
const leadingMark = /^(?:[#>`-]|[*+](?= |$)|~~~|\*\*\*|___)/

/** The lines of a text that show something, as far as a prompt looks. */
export function linesOf(text: string): string[] {
  return removeInvisible(text.trimStart().slice(0, longestRead).replace(lineEnd, "\n"))
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
}

const lineEnd = /[\r\v\f\u0085\u2028\u2029]/g

/** The text, or its beginning and an ellipsis; never half a character. */
export function shorten(text: string, most: number): string {
  if (text.length <= most) return text
  const cut = text.slice(0, Math.max(0, most - 1)).replace(/[\ud800-\udbff\u200c\u200d]+$/, "")
  return `${cut.trimEnd()}…`
}

/** Two texts that share a line: each gets what the other does not need, and at least half if both need more. */
export function shortenBoth(one: string, other: string, room: number): [string, string] {
  const first = shorten(one, Math.max(room - other.length, Math.floor(room / 2)))
  return [first, shorten(other, room - first.length)]
}
