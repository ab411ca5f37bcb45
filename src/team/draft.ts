import { basename } from "node:path"
import { type EntriesFile, type ReadContext, type ReadEntry, readEntries } from "../formats/entries.ts"
import type { Roster } from "../formats/legacy/roster.ts"
import { findFences } from "../formats/markdown.ts"
import { dominantLineEnd, isBlank, splitLines } from "../formats/source-text.ts"
import { alreadyStored, type Cleared } from "../governance/cleared.ts"
import { currentText, type FileChange, type FileMove } from "./change.ts"
import type { StoreFolder } from "./team-folder.ts"

/** Planned changes of a team folder, laid over the files on disk. Paths are below the folder. */
export type Draft = {
  readonly folder: StoreFolder
  /** `null` if the file will not exist. */
  text(path: string): string | null
  put(path: string, text: Cleared | null): void
  /** Moves a file whose text must not be copied. Nothing else may be planned for either path. */
  move(move: FileMove): void
  /** In the order to apply them: moved text is written to its new file first and removed from the old one last. */
  changes(): FileChange[]
  moves(): FileMove[]
}

/** With `isEmpty` nothing is read from disk, because the folder will have been moved away. */
export function openDraft(folder: StoreFolder, { isEmpty = false } = {}): Draft {
  const textNow = (path: string) => (isEmpty ? null : currentText(folder, path))
  const files = new Map<string, { before: string | null; after: Cleared | null }>()
  const moves: FileMove[] = []
  return {
    folder,
    text(path) {
      const planned = files.get(path)
      if (planned) return planned.after
      if (moves.some(({ from }) => from === path)) return null
      return textNow(moves.find(({ to }) => to === path)?.from ?? path)
    },
    put(path, after) {
      const planned = files.get(path)
      files.set(path, { before: planned ? planned.before : textNow(path), after })
    },
    move(move) {
      moves.push(move)
    },
    moves: () => moves,
    changes() {
      const changes = [...files].map(([path, { before, after }]) => ({ path, before, after }))
      return changes.filter(({ before, after }) => before !== after).sort((one, other) => turnOf(one) - turnOf(other))
    },
  }
}

function turnOf({ path, after }: FileChange): number {
  if (after === null) return 2
  return /archive/i.test(path) ? 0 : 1
}

/** The entries of a file with the planned changes; none if it does not exist. Parsed once per text. */
export function readDraft(draft: Draft, path: string, roster: Roster): EntriesFile {
  const text = draft.text(path) ?? ""
  const known = parsed.get(draft) ?? new Map<string, { text: string; read: EntriesFile }>()
  parsed.set(draft, known)
  const last = known.get(path)
  if (last?.text === text) return last.read
  const read = readEntries(text, contextAt(path, roster))
  known.set(path, { text, read })
  return read
}

const parsed = new WeakMap<Draft, Map<string, { text: string; read: EntriesFile }>>()

/** The parse context of a file in a team folder; the file need not exist. */
export function contextAt(path: string, roster: Roster): ReadContext {
  const agent = /^agents\/(?:_alumni\/)?([^/]+)\//.exec(path)?.[1]
  const kind =
    agent !== undefined
      ? "history"
      : path.startsWith("skills/")
        ? "skill"
        : /^decisions\/inbox\/|^memory\//.test(path)
          ? "inbox"
          : /archive/i.test(path)
            ? "archive"
            : "decisions"
  return { kind, fileName: basename(path), agent, roster }
}

/** Keeps the byte order mark when the first lines are removed. */
export function keepByteOrderMark(original: string, text: string): Cleared {
  const mark = "\uFEFF"
  return alreadyStored(original.startsWith(mark) && !text.startsWith(mark) ? mark + text : text)
}

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

/** The path, with a number appended if the draft already has such a file. */
export function freePath(draft: Draft, path: string): string {
  for (let number = 1; ; number++) {
    const free = number === 1 ? path : path.replace(/(\.md)?$/i, `-${number}$1`)
    if (draft.text(free) === null) return free
  }
}
