import { type Entry, lengthOf, titleLimit } from "../../formats/entry.ts"
import { findFences } from "../../formats/fences.ts"
import { firstSentence } from "../../formats/legacy/summarize.ts"
import { trimBlankLines } from "../../formats/source-text.ts"

/** The text of an entry below its title. */
export type EntryBody = Pick<Entry, "summary"> & { details: string; rationale: string }

/**
 * The text of an entry to read and edit: the summary if it adds to the title and the first sentence of the details, then
 * the details, then the rationale below its own label.
 */
export function toMarkdown({ title, summary, details, rationale }: Pick<Entry, keyof EntryBody | "title">): string {
  const isSaid = summary === title || (details !== undefined && firstSentence(details) === summary)
  const because = rationale === undefined ? "" : `**rationale:** ${escapeLabels(rationale)}`
  return [isSaid ? "" : escapeLabels(summary), escapeLabels(details ?? ""), because]
    .filter((part) => part !== "")
    .join("\n\n")
}

/** Parses the edited text back; text without a label is summary and details. */
export function fromMarkdown(markdown: string, title: string): EntryBody {
  const lines = markdown.replace(/\r\n?/g, "\n").split("\n")
  const { fenced } = findFences(lines)
  const label = lines.findIndex((line, index) => !fenced[index] && rationaleLabel.test(line))
  const text = (part: readonly string[]) => trimBlankLines(part).join("\n").replace(escapedLabel, "$1")
  const body = text(label === -1 ? lines : lines.slice(0, label))
  const [first = "", ...further] = label === -1 ? [] : lines.slice(label)
  const rationale = text([rationaleLabel.exec(first)?.[1] ?? "", ...further])
  return { ...summarize(body, title), rationale }
}

const rationaleLabel = /^\*\*rationale:\*\*(?:[ \t]+(.*))?$/
const escapedLabel = /^\\(\\*\*\*rationale:\*\*)/gm

function escapeLabels(text: string): string {
  return text.replace(/^(\\*\*\*rationale:\*\*)/gm, "\\$1")
}

/** The summary is the first paragraph if it is one short line, otherwise the first sentence. */
function summarize(body: string, title: string): { summary: string; details: string } {
  if (body === "") return { summary: title, details: "" }
  const [first = "", ...rest] = body.split(/\n[ \t]*\n/)
  const isLine =
    !first.includes("\n") && lengthOf(first) <= titleLimit && !/^\s*(?:[-*+>|#]\s|\d{1,9}[.)]\s|```|~~~)/.test(first)
  if (isLine) return { summary: first.trim(), details: trimBlankLines(rest.join("\n\n").split("\n")).join("\n") }
  return { summary: firstSentence(body) || title, details: body }
}
