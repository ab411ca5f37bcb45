import { findFences } from "../formats/fences.ts"
import { type ReadContext, readEntries } from "../formats/read-entries.ts"
import { dominantLineEnd, splitLines } from "../formats/source-text.ts"

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
