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
