import { lowerCase, phrases } from "../languages/phrases.ts"

export type StatementKind = "always" | "never" | "preference" | "fact" | "remember"
export type Statement = { kind: StatementKind /** The sentence's offset in the message. */; start: number; end: number }

const mostStatements = 8

/**
 * The sentences in the user's own words that state a lasting rule: always, never, remember, "we use …". A question
 * states none. Text after a semicolon belongs to the rule, unless it states another.
 */
export function findStatements(message: string): Statement[] {
  const words = lowerCase(message)
  const found: Statement[] = []
  let before: Statement | undefined // the rule that may continue
  for (const { start, end } of sentencesOf(words)) {
    const sentence = words.slice(start, end)
    const kind = kindOf(sentence)
    if (kind !== undefined) {
      if (found.length === mostStatements) break
      before = { kind, start: start + (bullet.exec(sentence)?.[0].length ?? 0), end }
      found.push(before)
    } else if (before !== undefined) before.end = end
    if (words[end - 1] !== ";") before = undefined
  }
  return found
}

function kindOf(sentence: string): StatementKind | undefined {
  if (/[?？]\W{0,4}$/.test(sentence)) return undefined
  const clauses = bullet.test(sentence) ? [sentence.replace(bullet, "")] : clausesOf(sentence) // in a list, a rule comes first
  const kind = kinds.find(({ pattern }) => clauses.some((each) => pattern.test(each)))?.kind
  return kind === undefined || isPassing(sentence) ? undefined : kind
}

const kinds = (["remember", "never", "always", "preference", "fact"] as const).map((kind) => ({
  kind,
  pattern: phrases(({ statements }) => statements[kind], "first"),
}))

/**
 * The sentence from each possible beginning of a clause: its start, after a comma or bracket, after "and", "but",
 * "please".
 */
function clausesOf(sentence: string): string[] {
  const clauses = [sentence]
  for (const match of sentence.matchAll(clauseStart)) {
    if (clauses.length > 12) break
    clauses.push(sentence.slice(match.index + match[0].length))
  }
  return clauses
}

const clauseStart =
  /[,:;()（，：、—–]\s{0,3}|(?<![\p{L}_])(?:and|but|so|please|pls|also|then|that|because|since|ok|no|btw|fyi|und|aber|bitte|denn|weil|dass|y|pero|porque|que|et|mais|car|e|mas|por favor|请|請)\s{1,3}|(?:请|請|但|而且|所以)/giu

const bullet = /^(?:[-*•]|\d{1,2}[.)])\s{1,4}/

function isPassing(sentence: string): boolean {
  passing.lastIndex = 0
  return passing.test(sentence)
}

const passing = phrases(({ passing }) => passing)

const mostSentences = 60

function* sentencesOf(words: string): Generator<{ start: number; end: number }> {
  let start = 0
  let count = 0
  for (const match of words.matchAll(sentenceEnd)) {
    const end = match.index + match[0].length
    if (/\S/.test(words.slice(start, end)) && ++count <= mostSentences) yield trimmed(words, start, end)
    start = end
  }
  if (/\S/.test(words.slice(start))) yield trimmed(words, start, words.length)
}

/** A dot inside a name such as `claude.md`, or after a list number, does not end a sentence. */
const sentenceEnd = /(?<!^[ \t]{0,8}\d{1,2})[.!?]{1,3}(?=\s)|[。！？]|\n|;\s/gm

function trimmed(words: string, start: number, end: number): { start: number; end: number } {
  const from = start + (/^\s*/.exec(words.slice(start, end))?.[0].length ?? 0)
  return { start: from, end: from + words.slice(from, end).trimEnd().length }
}
