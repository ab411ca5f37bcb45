import { findFences } from "../formats/fences.ts"
import { type ReadContext, readEntries } from "../formats/read-entries.ts"
import { dominantLineEnd, splitLines } from "../formats/source-text.ts"

/**
 * Adds whole entries to the end of a file. Where a code fence of the file is never closed, they go before the entry that
 * leaves it open: behind it, a fence of theirs would close it and hide everything in between.
 */
export function appendEntries(text: string, pieces: readonly string[], context: ReadContext): string {
  const lineEnd = dominantLineEnd(text || (pieces[0] ?? ""))
  const at = placeFor(text, context)
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
