import { lengthOf, titleLimit } from "../entry.ts"
import { collapseWhiteSpace, trimEndOf } from "../source-text.ts"
import { parseLabels, startsWithBoldLabel } from "./labels.ts"

/** The first sentence of a Markdown text as plain text, cut at a word when it is longer than a summary may be. */
export function firstSentence(markdown: string): string {
  const paragraph = plainText(firstParagraph(markdown))
  const end = /[.!?](?=\s|$)(?<!\b(?:e\.g|i\.e|etc|vs|cf|approx|no|dr|mr|mrs|ms|\p{Lu})\.)/iu.exec(paragraph)
  const sentence = (end ? paragraph.slice(0, end.index + 1) : paragraph).replace(/\s*:$/, "")
  return /\p{L}/u.test(sentence) ? cutAtWord(sentence) : "" // a number alone says less than the title
}

/** At most 120 characters, whole words, with an ellipsis where something is missing. */
export function cutAtWord(text: string): string {
  if (lengthOf(text) <= titleLimit) return text
  const kept = [...text].slice(0, titleLimit - 1).join("")
  const space = kept.lastIndexOf(" ")
  return `${trimEndOf(space > titleLimit / 2 ? kept.slice(0, space) : kept, /[\s,;:—–-]/)}…`
}

const paragraphReach = 60

/** The first lines with content: no headings, code, tables, metadata labels or words that only introduce a list. */
function firstParagraph(markdown: string): string {
  for (const paragraph of paragraphsOf(markdown)) if (!isLeadIn(paragraph)) return paragraph
  return ""
}

/** A section on something other than the decision. */
const asideHeading =
  /^#+\s+(?:\W*)(?:not chosen|not doing|rejected|alternatives?|options? considered|considered|context|background|problem|root cause|rationale|why|source|sources|references?|related|affects?|affected|owners?|files?|next steps?|open questions?|risks?|non-goals?|out of scope|follow-?ups?|history)\b/i

function* paragraphsOf(markdown: string): Generator<string> {
  let current: string[] = []
  let fence: string | undefined
  let isAside = false
  for (const raw of markdown.split("\n", paragraphReach)) {
    const line = raw.trim()
    if (fence === undefined && line.startsWith("#")) isAside = asideHeading.test(line)
    const marker = /^(?:```|~~~)/.exec(line)?.[0]
    const isText =
      !isAside && fence === undefined && marker === undefined && line !== "" && !/^(?:#|---|\||<!--)/.test(line)
    if (marker !== undefined && (fence === undefined || fence === marker))
      fence = fence === undefined ? marker : undefined
    const begins = isText && (/^(?:[-*+>] |\d{1,9}[.)] )/.test(line) || startsWithBoldLabel(line))
    if ((!isText || begins) && current.length > 0) {
      yield current.join(" ")
      current = []
    }
    if (isText) current.push(line)
  }
  if (current.length > 0) yield current.join(" ")
}

/** `**Requested by:** …`, `**Files changed**`, `Changes made:` have no content by themselves. */
function isLeadIn(paragraph: string): boolean {
  const label = parseLabels(paragraph, true)[0]
  if (label) return label.field !== "details" // "**Affects:** …", "**Not chosen:** …" do not state the decision
  return /^\*\*[^*]+\*\*:?$/.test(paragraph) || (paragraph.endsWith(":") && paragraph.length < 48)
}

function plainText(markdown: string): string {
  const text = markdown
    .slice(0, 2000)
    .replace(/^(?:[-*+>]|\d{1,9}[.)])\s+/, "")
    .replace(/^\[[ x]\]\s+/i, "")
    .replace(/^\*\*[^*:]{1,40}(?::\*\*|\*\*:)\s*/, "")
    .replace(/^📌\s*/u, "")
    .replace(/^Team update \([^)]*\):\s*/, "")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[*`]|~~|__/g, "")
  return collapseWhiteSpace(text)
}
