import { type ReadContext, type ReadEntry, readEntries } from "../formats/read-entries.ts"
import { dominantLineEnd, isBlank, splitLines } from "../formats/source-text.ts"

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
