/**
 * The user's message with everything masked that is not their own wording: code, quotes, links, output, documents and
 * comments that they pasted. Offsets are kept, so that matches can be read in the original message.
 */
export function ownWords(message: string): string {
  if (isHandedOver(message) || filler.test(message)) return blank(message)
  let words = message
  if (words.includes("```") || words.includes("~~~")) words = words.replace(fence, blank)
  if (words.includes("`")) words = words.replace(/`[^`\n]{1,300}`/g, underline)
  words = words.replace(quotation, underline).replace(/\bhttps?:\/\/\S{1,2000}/g, underline)
  return isReview(words) ? blank(words) : withoutPastes(words)
}

/** The message with every pasted part cut; code, quotes and links inside of the user's own lines stay. */
export function withoutPasted(message: string, own = ownWords(message)): string {
  const lines: string[] = []
  let at = 0
  for (const line of message.split("\n")) {
    const masked = own.slice(at, at + line.length)
    at += line.length + 1
    if (masked.trim() !== "" || line.trim() === "") lines.push(line)
    else if (lines.at(-1) !== "[…]") lines.push("[…]")
  }
  return lines.join("\n")
}

const fence = /(?:```|~~~)[\s\S]{0,6000}?(?:```|~~~|$(?![\s\S]))/g
const quotation = /"[^"\n]{2,300}"|“[^”\n]{2,300}”|«[^»\n]{2,300}»|「[^」\n]{2,300}」|『[^』\n]{2,300}』/g

/** A text in quotation marks over several lines: a program passed it on its command line. */
function isHandedOver(message: string): boolean {
  return /^\s*"[^"\n]*\n/.test(message)
}

/** The text that stands where a text will be. */
const filler = /\blorem ipsum\b/i

/** A reviewer's remark, pasted without a word of one's own. */
function isReview(words: string): boolean {
  return /\bconsider \w+ing\b/i.test(words) && !/\b(?:i|i'[a-z]+|we|my|please|you)\b/i.test(words)
}

type Line = { start: number; end: number; is: "own" | "pasted" | "heading" }

/**
 * Pasted lines, and what lies between them. A heading begins a document, and a line such as "I get this error:"
 * announces one; it reaches to the end of the message, except for a last short paragraph in the user's own words.
 */
function withoutPastes(words: string): string {
  const lines = linesOf(words)
  const pasted = lines.filter(({ is }) => is === "pasted")
  const announced = lines.findIndex(
    ({ start, end }, index) => index < lines.length - 1 && announces.test(words.slice(start, end)),
  )
  const heading = lines.findIndex(({ is }) => is === "heading")
  const first = Math.min(
    ...[heading, announced < 0 ? -1 : announced + 1, pasted.length < manyPasted ? -1 : lines.indexOf(pasted[0] as Line)]
      .filter((index) => index >= 0)
      .concat(lines.length),
  )
  const closing = first < lines.length ? closingWords(words, lines, first) : lines.length
  let own = words
  for (const [index, { start, end, is }] of lines.entries()) {
    if (is === "own" && !(index >= first && index < closing) && !isLengthy(words, start, end)) continue
    own = own.slice(0, start) + blank(words.slice(start, end)) + own.slice(end)
  }
  return own
}

const manyPasted = 3

function linesOf(words: string): Line[] {
  const lines: Line[] = []
  for (const match of words.matchAll(/[^\n]+/g)) {
    const [line] = match
    const is = foreignLine.test(line)
      ? "pasted"
      : /^\s*(?:#{1,4} \S|-{3,}\s*$|<\w[\w-]*>\s*$)/.test(line)
        ? "heading"
        : "own"
    lines.push({ start: match.index, end: match.index + line.length, is })
  }
  const wrapped = (at: number) => isWrapped(words, lines[at], lines[at + 1])
  return lines.map((line, at) => {
    const isInside = (wrapped(at) && wrapped(at + 1)) || (wrapped(at - 1) && (wrapped(at) || wrapped(at - 2)))
    return isInside && line.is === "own" ? { ...line, is: "pasted" } : line
  })
}

/** Whether the sentence continues on the next line: text of another program or page, wrapped at a fixed width. */
function isWrapped(words: string, line: Line | undefined, next: Line | undefined): boolean {
  if (!line || next?.start !== line.end + 1) return false
  const length = line.end - line.start
  return (
    length >= 55 &&
    length <= 110 &&
    !/[.!?:;…。]["')]?\s*$/.test(words.slice(line.start, line.end)) &&
    /^[ \t]{0,8}[\p{Ll}(`]/u.test(words.slice(next.start, next.end))
  )
}

/** The line at which the user speaks again: a short last paragraph after a blank line, or after output. */
function closingWords(words: string, lines: readonly Line[], first: number): number {
  const last = lines.findLastIndex(
    ({ start }, index) =>
      index > first && (lines[index - 1]?.is === "pasted" || /\n[ \t]*\n$/.test(words.slice(0, start))),
  )
  if (last < 0) return lines.length
  const rest = lines.slice(last)
  const size = (rest.at(-1)?.end ?? 0) - (rest[0]?.start ?? 0)
  const isOwn = rest.every(({ start, end, is }) => is === "own" && speaks.test(words.slice(start, end)))
  return isOwn && size <= 300 ? last : lines.length
}

const speaks =
  /^\s*(?:please|pls|can you|could you|fix|why|what|how|so|now|i |i'|we |don't|do not|never|always|use |also |and |but |this |it |from now|bitte|kannst|warum|wir|ich|s'il|por favor|nunca|siempre|sempre|请|請|今|以)/i

const announces =
  /(?:\b(?:errors?|output|logs?|says?|said|feedback|comments?|review|ticket|issue|scenario|following|messages?|trace|response|prints?|from|text|example|prompt|spec|plan|translate|summari[sz]e)\b[^\n:]{0,60}|\b(?:this|below))[:：]\s*$/i

/** Nobody types a paragraph of this length into a prompt beside other paragraphs. */
function isLengthy(words: string, start: number, end: number): boolean {
  return end - start > 900 && words.length > 1500 && /\n[ \t]*\n/.test(words.trim())
}

/** Lines of quotes, stack frames, logs, errors, prompts, diffs, tables, code, reports. */
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
    "diff --git|@@ -|\\+\\+\\+ |--- [ab]/|[+-] {2,}\\S",
    "[│├└┌┐┘|╰╭✔✓✗✘→⎿✅❌⚠]",
    "\\d{1,4}[:|] ",
    "\\d+\\.?\\d*m?s\\s*$",
    "[\\w./\\\\-]{1,200}:\\d{1,6}(?::\\d{1,6})?\\b",
    "\\*\\*[^*\\n]{1,80}\\*\\*:?",
    "</?\\w[^>]{0,200}>",
    "(?:import|export|const|let|var|function|def|class|return|public|private|async|#include) [^\\n]{0,200}(?:[({;]\\s*$| = )",
    "[^\\n]{0,300}(?:[{}]|[)\\]'\"\\d];)\\s*$",
    "\\S{1,80} {4,}\\S",
    "(?:Run|Running|Compiling|Compiled|Generated|Downloading|Installing|Building|Built) [^\\n]{0,200}(?:\\.\\.\\.|\\d|:\\S)",
    "[^\\n]{0,120}\\(\\d{1,4}\\)\\s*$",
    "-{3} (?:content|end) ",
  ].join("|")})`,
  "i",
)

function blank(text: string): string {
  return text.replace(/[^\n]/g, " ")
}

/** Stands for one masked word. */
function underline(text: string): string {
  return "_".repeat(text.length)
}
