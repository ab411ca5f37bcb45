import { lengthOf, titleLimit } from "../entry.ts"
import { collapseWhiteSpace, trimEndOf } from "../source-text.ts"
import { parseLabels, startsWithBoldLabel } from "./labels.ts"

/** The first sentence of a Markdown text as plain text, cut at a word when it is longer than a summary may be. */
export function firstSentence(markdown: string): string {
  const paragraph = plainText(firstParagraph(markdown))
  const end = /[.!?](?=\s|$)(?<!\.\.\.)(?<!\b(?:e\.g|i\.e|etc|vs|cf|approx|no|dr|mr|mrs|ms|\p{Lu})\.)/iu.exec(paragraph)
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

/** The first lines that state something: no headings, code, tables, metadata, questions or words that only introduce a list. */
function firstParagraph(markdown: string): string {
  for (const paragraph of paragraphsOf(markdown)) if (states(paragraph)) return paragraph
  return ""
}

/** Names of sections, and of labels alone on their line, whose text is not the decision. */
const aside =
  /^\W*(?:not (?:chosen|doing)|rejected|alternatives?|options? considered|considered|context|background|problem|root cause|rationale|why|trade-?offs?|sources?|evidence|(?:\w+ )?references?|related|affects?|affected|owners?|(?:key |new |modified |changed )?files?|next steps?|open questions?|risks?|non-goals?|out of scope|follow-?ups?|history|before|previous(?:ly)?|old|research(?: findings)?|contexto|opciones|alternativas|fuentes?)\b/i
const lonelyLabel = /^(?:[-*+] )?(?:\*\*|__)([^*_]{1,60}?)(?::(?:\*\*|__)|(?:\*\*|__):?)[ \t]*$/

function* paragraphsOf(markdown: string): Generator<string> {
  let current: string[] = []
  let fence: string | undefined
  let isAside = false
  for (const raw of markdown.split("\n", paragraphReach)) {
    const line = raw.trim()
    const heading = fence === undefined && line.startsWith("#") ? line.replace(/^#+/, "") : undefined
    const label = fence === undefined ? lonelyLabel.exec(line)?.[1] : undefined
    const marker = /^(?:```|~~~)/.exec(line)?.[0]
    const begins = /^(?:[-*+>] |\d{1,9}[.)] )/.test(line) || startsWithBoldLabel(line)
    if (heading !== undefined || label !== undefined) isAside = aside.test(heading ?? label ?? "")
    else if (fence === undefined && startsWithBoldLabel(line) && !/^(?:[-*+>]|\d)/.test(line)) isAside = false
    const isText =
      !isAside && fence === undefined && marker === undefined && line !== "" && !/^(?:#|---|\||<!--)/.test(line)
    if (marker !== undefined && (fence === undefined || fence === marker))
      fence = fence === undefined ? marker : undefined
    if ((!isText || begins) && current.length > 0) {
      yield current.join(" ")
      current = []
    }
    if (isText) current.push(line)
  }
  if (current.length > 0) yield current.join(" ")
}

/** A lead-in, a question, or nothing but the name of a place does not state anything. */
function states(paragraph: string): boolean {
  if (isLeadIn(paragraph) || pointer.test(paragraph) || /\?[*_"”)\]]*$/.test(paragraph)) return false
  const words = paragraph.replace(/`[^`]*`|!?\[[^\]]*\]\([^)]*\)|https?:\S+/g, "").match(/\p{L}{2,}/gu) ?? []
  return words.some((word) => !/^(?:lines?|location|where|files?|paths?|see)$/i.test(word)) || !/[`\]]/.test(paragraph)
}

/** `From .squad/decisions/inbox/mira-queues.md`, "Full report: `docs/report.md`." */
const pointer = /^(?:(?:merged |moved )?from|see|sources?|full(?: \w+){1,3}):?\s+`?[\w./\\-]+\.(?:md|txt)`?\.?$/i

/** Labels of other words than a details field has, whose value states what was decided. */
const statement =
  /^(?:choice|chosen|choose|rules?|policy|recommendations?|proposals?|verdict|findings?|results?|approach|fix|conclusion|answer)(?: ?\(.*\))?$/i

/** `**Requested by:** …`, `**Files changed**`, `Changes made:` have no content by themselves. */
function isLeadIn(paragraph: string): boolean {
  const label = parseLabels(paragraph, true)[0]
  // "**Affects:** …", "**Not chosen:** …" do not state the decision; "- **Storage:** a sentence" is a part of it.
  if (label?.field === "details" || (label && statement.test(label.name))) return label.value === ""
  if (label?.field === "text" && /^(?:[-*+]|\d{1,9}[.)]) /.test(paragraph)) {
    return aside.test(label.name) || label.value.split(/\s+/).length < 5
  }
  if (label) return true
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
