import { dropUnseen } from "../formats/drop-unseen.ts"
import { quoteInline } from "../formats/quote.ts"
import { scrubText } from "../governance/find-sensitive.ts"

/** No line that Drey puts into a prompt is longer. */
export const longestLine = 200

/** The most of it that the name of an agent, an id or a type takes up. */
export const longestName = 40

/** More than any line shows, and enough that a secret which reaches over the end of it is still known for one. */
const longestRead = 2000

/**
 * Text of a session as it may stand in a line of a system prompt: on one line, nothing in it unseen, no secret and no address of a person,
 * no tag, and nothing at its beginning that would make more of the line than a line.
 */
export function lineOfText(text: string, most = longestLine): string {
  const line = linesOf(text).join(" ")
  return shorten(quoteInline(scrubText(line)).replace(leadingMark, "\\$&"), most)
}

/** What would begin a heading, a quotation, a list, a rule or a code block. */
const leadingMark = /^(?:[#>`-]|[*+](?= |$)|~~~|\*\*\*|___)/

/** The lines of a text that show something, as far as a prompt looks. */
export function linesOf(text: string): string[] {
  return dropUnseen(text.trimStart().slice(0, longestRead).replace(lineEnd, "\n"))
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

/** Two texts that share a line: each has what the other does not need, and at least half when both need more. */
export function shortenBoth(one: string, other: string, room: number): [string, string] {
  const first = shorten(one, Math.max(room - other.length, Math.floor(room / 2)))
  return [first, shorten(other, room - first.length)]
}
