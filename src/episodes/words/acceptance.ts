import { lowerCase, phrases } from "../languages/phrases.ts"

/** Whether the user says thanks or that it works, but not "how it works" or "make sure it works". */
export function hasAcceptance(words: string): boolean {
  return lastAcceptance(words) >= 0
}

/** The offset of the last words of acceptance; -1 without any. */
export function lastAcceptance(message: string): number {
  const words = lowerCase(message)
  const first = atStart.exec(withoutInterjections(words.trim()))
  let last = first === null || isTakenBack(words.trimStart()) ? -1 : 0
  for (const match of words.matchAll(anywhere)) {
    if (match.index > farthest) break
    const clause =
      words
        .slice(Math.max(0, match.index - 40), match.index)
        .split(/[.!?;,。！？，\n]|\bbut\b/)
        .at(-1) ?? ""
    hedge.lastIndex = 0
    if (!hedge.test(clause) && !isTakenBack(words.slice(match.index + match[0].length))) last = match.index
  }
  return last
}

/** Praise far into a message is part of a description. */
const farthest = 200

/** "Good, but …" accepts only what precedes the complaint; "works?" accepts nothing. */
function isTakenBack(behind: string): boolean {
  return /^[^.!?\n]{0,60}\b(?:but|however|except|though|aber|pero|mais|mas)\b|^\s{0,2}\?/i.test(behind)
}

function withoutInterjections(text: string): string {
  return text.replace(/^(?:(?:wow|oh|ah+|ok(?:ay)?|yes|yep|yeah|hm+|well|cool|haha|👍|🎉)[\s,.!…]{1,4}){1,3}/iu, "")
}

const atStart = phrases(({ accepts }) => accepts.first, "first")
const anywhere = phrases(({ accepts }) => accepts.anywhere)
const hedge = phrases(({ hedges }) => hedges)
