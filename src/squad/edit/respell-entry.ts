import type { Entry } from "../../formats/entry.ts"
import { findFences } from "../../formats/fences.ts"
import { knownField, parseFieldLine } from "../../formats/sem-grammar.ts"
import { isBlank, splitLines } from "../../formats/source-text.ts"
import { writeEntry } from "../../formats/write-entry.ts"

/**
 * Rewrites only the changed lines of a SEM entry (title, contributors, tags, id, body) and keeps all other lines verbatim.
 * `text` begins with the header and has no trailing blank lines.
 */
export function respellEntry(text: string, before: Entry, after: Entry, lineEnd: "\n" | "\r\n"): string {
  const canonical = partsOf(writeEntry(after).trimEnd())
  const own = partsOf(text)
  const lines = {
    header: own.header.map((line) => withTitle(line, before.title, after.title)),
    fields: changeable
      .filter((name) => String(before[name] ?? "") !== String(after[name] ?? ""))
      .reduce((fields, name) => withField(fields, canonical.fields, name), own.fields),
    body: hasSameBody(before, after) ? own.body : withRelated(canonical.body, own.body),
  }
  return [...lines.header, ...lines.fields, ...lines.body].join(lineEnd)
}

/** The header, the one-line fields below it with the blank lines around them, and the rest from the first line of text on. */
type Parts = { header: string[]; fields: string[]; body: string[] }

function partsOf(text: string): Parts {
  const { lines } = splitLines(text)
  const { fenced } = findFences(lines)
  let end = 1
  while (end < lines.length && !fenced[end] && (isBlank(lines[end] ?? "") || isMetadata(lines[end] ?? ""))) end++
  return { header: lines.slice(0, 1), fields: lines.slice(1, end), body: lines.slice(end) }
}

function withTitle(header: string, before: string, after: string): string {
  const at = header.lastIndexOf(before)
  return header.slice(0, at) + after + header.slice(at + before.length)
}

function isMetadata(line: string): boolean {
  const field = parseFieldLine(line)
  const name = field && knownField(field.label)
  return field !== undefined && name !== "summary" && name !== "details" && name !== "rationale" && name !== "related"
}

const changeable = ["contributors", "tags", "id"] as const

function withField(own: string[], canonical: string[], name: (typeof changeable)[number]): string[] {
  const isIt = (line: string) => knownField(parseFieldLine(line)?.label ?? "") === name
  const written = canonical.filter(isIt)
  const at = own.findIndex(isIt)
  if (at !== -1) return [...own.slice(0, at), ...written, ...own.slice(at + 1)]
  const last = own.findLastIndex((line) => !isBlank(line))
  return [...own.slice(0, last + 1), ...written, ...own.slice(last + 1)]
}

function hasSameBody(before: Entry, after: Entry): boolean {
  return before.summary === after.summary && before.details === after.details && before.rationale === after.rationale
}

/** The links below the text are not part of it. */
function withRelated(written: string[], own: string[]): string[] {
  const isLabel = (line: string) => knownField(parseFieldLine(line)?.label ?? "") === "related"
  const from = own.findLastIndex(isLabel)
  const to = written.findLastIndex(isLabel)
  return from === -1 || to === -1 ? written : [...written.slice(0, to), ...own.slice(from)]
}
