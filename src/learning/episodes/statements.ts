import { lowerCase, phrases } from "../languages/phrases.ts"

export type StatementKind = "always" | "never" | "preference" | "fact" | "remember"
export type FoundStatement = {
  kind: StatementKind /** The sentence's offset in the message. */
  start: number
  end: number
}

const mostStatements = 8

/**
 * The sentences in the user's own words that state a lasting rule: always, never, remember, "we use …". A question
 * states none. Text after a semicolon belongs to the rule, unless it states another.
 */
export function findStatements(message: string): FoundStatement[] {
  const words = lowerCase(message)
  const found: FoundStatement[] = []
  let before: FoundStatement | undefined // the rule that may continue
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

/**
 * The user's message with everything masked that is not their own wording: code, quotes, links, pasted output, pasted
 * documents. Offsets are kept, so that matches can be read in the original message.
 */
export function ownWords(message: string): string {
  let words = message
  if (words.includes("```") || words.includes("~~~")) words = words.replace(fence, blank)
  if (words.includes("`")) words = words.replace(/`[^`\n]{1,300}`/g, underline)
  words = words.replace(quotation, underline).replace(/\bhttps?:\/\/\S{1,2000}/g, underline)
  if (words.includes("\n")) words = words.replace(foreignLine, blank)
  return withoutDocument(words)
}

const fence = /(?:```|~~~)[\s\S]{0,6000}?(?:```|~~~|$(?![\s\S]))/g
const quotation = /"[^"\n]{2,300}"|“[^”\n]{2,300}”|«[^»\n]{2,300}»|「[^」\n]{2,300}」|『[^』\n]{2,300}』/g

/** Pasted lines: quotes, stack frames, log lines, errors, prompts, diffs, table rows. */
const foreignLine = new RegExp(
  `^[ \\t]{0,12}(?:${[
    ">",
    "at \\S{1,200}(?: \\(|:\\d)",
    'File "',
    "Traceback \\(",
    "[$❯%] \\S",
    "PS [A-Z]:",
    "\\[?\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d",
    "\\[?\\d\\d:\\d\\d:\\d\\d",
    "\\[?(?:error|ERROR|Error|warn|WARN|info|INFO|debug|DEBUG|FATAL|fatal)\\]?[: ]{1,2}\\S",
    "(?:[A-Za-z_$][\\w$]{0,60}\\.){0,8}[A-Z]\\w{0,60}(?:Error|Exception)\\b",
    "npm (?:ERR!|error|warn)",
    "FAIL(?:ED)?\\b",
    "diff --git|@@ -|\\+\\+\\+ |--- [ab]/",
    "[│├└┌┐┘|╰╭]",
    "\\d{1,4}[:|] ",
    "[\\w./\\\\-]{1,200}:\\d{1,6}(?::\\d{1,6})?\\b",
  ].join("|")})[^\\n]{0,2000}$`,
  "gm",
)

const longestMessage = 1000
const headLength = 600
const tailLength = 300

/** Only the beginning and end of a long message are the user's; after a heading comes a document. */
function withoutDocument(words: string): string {
  if (words.length <= longestMessage) return words
  const heading = /^#{1,4} \S/m.exec(words)?.index ?? words.length
  const head = Math.min(heading, lineEndBefore(words, headLength))
  const tail = heading < words.length ? words.length : words.length - tailLength
  return words.slice(0, head) + blank(words.slice(head, tail)) + words.slice(tail)
}

function lineEndBefore(text: string, limit: number): number {
  const end = text.lastIndexOf("\n", limit)
  return end > limit / 2 ? end : limit
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, " ")
}

/** Stands for one masked word. */
function underline(text: string): string {
  return "_".repeat(text.length)
}
