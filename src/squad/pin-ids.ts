import { type ReadContext, readEntries } from "../formats/read-entries.ts"
import { dominantLineEnd, splitLines } from "../formats/source-text.ts"

/**
 * Writes the old id into every SEM entry whose title or author was rewritten, so that references to it stay valid. Returns
 * the text unchanged if the entries of both texts cannot be matched by their order.
 */
export function pinIds(before: string, after: string, context: ReadContext): string {
  const old = readEntries(before, context).entries
  const entries = readEntries(after, context).entries
  if (old.length !== entries.length) return after
  const lineEnd = dominantLineEnd(after)
  let pinned = after
  for (const [index, entry] of [...entries.entries()].reverse()) {
    const id = old[index]?.id
    if (entry.format !== "sem" || id === undefined || entry.id === id || entry.entry.id !== undefined) continue
    const at = placeOfId(after, entry.line, entry.endLine)
    pinned = `${pinned.slice(0, at)}**id:** ${id}  ${lineEnd}${pinned.slice(at)}`
  }
  const result = readEntries(pinned, context).entries
  return result.length === entries.length ? pinned : after
}

/** The id goes after the last of these fields. */
const fieldsBefore = /^\*\*(?:type|timestamp|author|by|contributors|scope|tags|supersedes|supersededBy|expires):\*\*/i

function placeOfId(text: string, line: number, endLine: number): number {
  const { lines, starts } = splitLines(text)
  let place = line
  for (let index = line; index < endLine; index++) {
    const current = lines[index] ?? ""
    if (fieldsBefore.test(current)) place = index + 1
    else if (current.trim() !== "") break
  }
  return starts[place] ?? text.length
}
