import { type ReadContext, type ReadEntry, readEntries } from "./entries.ts"
import { findFences } from "./markdown.ts"
import { dominantLineEnd, isBlank, splitLines } from "./source-text.ts"

/**
 * Adds whole entries to the end of a file, or to the end of the active section if a decisions file has Squad's sections.
 * If the file has an unclosed code fence, the entries go before the entry that opens it. After it, a fence in a new entry
 * would close it and hide everything in between.
 */
export function appendEntries(text: string, pieces: readonly string[], context: ReadContext): string {
  const active = endOfActive(text, context)
  if (active === undefined) return insertAt(text, placeFor(text, context), pieces)
  const inserted = insertAt(text, active, pieces)
  // An entry without an end mark would absorb the section below it.
  return endOfActive(inserted, context) === undefined ? insertAt(text, text.length, pieces) : inserted
}

function insertAt(text: string, at: number, pieces: readonly string[]): string {
  const lineEnd = dominantLineEnd(text || (pieces[0] ?? ""))
  const before = pieces.reduce((grown, piece) => withGap(grown, lineEnd) + piece, text.slice(0, at))
  return at === text.length ? before : withGap(before, lineEnd) + text.slice(at)
}

/** Ends a text with one blank line, unless it is empty or ends with one already. */
export function withGap(text: string, lineEnd: string): string {
  if (text === "" || text === "\uFEFF" || /\n[ \t]*\r?\n$/.test(text)) return text
  return text.endsWith("\n") ? text + lineEnd : text + lineEnd + lineEnd
}

function placeFor(text: string, context: ReadContext): number {
  const [open] = findFences(splitLines(text).lines).unclosed
  if (open === undefined) return text.length
  let at = 0
  let place = 0
  for (const segment of readEntries(text, context).segments) {
    if (segment.line > open + 1) break
    place = at
    at += segment.text.length
  }
  return place
}

/** Where Squad's rules section begins, directly below the active decisions; undefined if the file lacks either section. */
function endOfActive(text: string, context: ReadContext): number | undefined {
  if (context.kind !== "decisions" || !text.includes("## Governance")) return undefined
  const { lines, starts } = splitLines(text)
  const { fenced, unclosed } = findFences(lines)
  if (unclosed.length > 0) return undefined
  const find = (heading: RegExp, from: number) =>
    lines.findIndex((line, index) => index >= from && fenced[index] === 0 && heading.test(line))
  const active = find(/^## Active Decisions[ \t]*$/, 0)
  const governance = active === -1 ? -1 : find(/^## Governance[ \t]*$/, active)
  if (governance === -1) return undefined
  const place = governance + 1
  const isInEntry = readEntries(text, context).entries.some(({ line, endLine }) => line < place && place <= endLine)
  return isInEntry ? undefined : starts[governance]
}

export type MarkField = "contributors" | "supersededBy"

/**
 * Adds a value to a list field of one entry and leaves every other byte unchanged. A legacy entry has no such fields; a
 * superseded one gets a `**Status:**` line. Returns the text unchanged if the mark would change how the file is parsed:
 * links are computed anyway, so the mark is only for readers.
 */
export function markEntry(
  text: string,
  context: ReadContext,
  id: string,
  mark: { field: MarkField; value: string; title: string },
): string {
  const read = readEntries(text, context)
  const target = read.entries.find((entry) => entry.id === id)
  if (!target) return text
  const marked = target.format === "sem" ? markSem(text, target, mark) : markLegacy(text, target, mark)
  const after = readEntries(marked, context)
  const same = after.entries.length === read.entries.length
  return same && after.entries.every((entry, index) => entry.id === read.entries[index]?.id) ? marked : text
}

/** A new field line goes after the last of these fields that the entry has. */
const fieldsBefore: Record<MarkField, RegExp> = {
  contributors: /^\*\*(?:type|timestamp|author|by):\*\*/i,
  supersededBy: /^\*\*(?:type|timestamp|author|by|contributors|scope|tags|supersedes):\*\*/i,
}

function markSem(text: string, target: ReadEntry, { field, value }: { field: MarkField; value: string }): string {
  if (target.entry[field].includes(value)) return text
  const { lines, starts } = splitLines(text)
  const own = new RegExp(`^\\*\\*${field}:\\*\\*`, "i")
  let place = target.line // the line after the header, counted from 0
  for (let index = target.line; index < target.endLine; index++) {
    const line = lines[index] ?? ""
    if (own.test(line)) {
      const end = (starts[index] ?? 0) + line.trimEnd().length
      return `${text.slice(0, end)}, ${value}${text.slice(end)}`
    }
    if (fieldsBefore[field].test(line)) place = index + 1
    else if (!isBlank(line) && !line.startsWith("**")) break
  }
  return insertLine(text, place, `**${field}:** ${value}  `)
}

function markLegacy(
  text: string,
  target: ReadEntry & { format: "legacy" },
  { field, title }: { field: MarkField; title: string },
): string {
  if (field !== "supersededBy" || target.unit !== "entry" || target.reading.superseded !== undefined) return text
  return insertLine(text, target.line, `**Status:** Superseded by ${title}`)
}

function insertLine(text: string, index: number, line: string): string {
  const { starts } = splitLines(text)
  const at = starts[index] ?? text.length
  const lineEnd = dominantLineEnd(text)
  const before = text.slice(0, at)
  return `${before}${before === "" || before.endsWith("\n") ? "" : lineEnd}${line}${lineEnd}${text.slice(at)}`
}
