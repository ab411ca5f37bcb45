import { isDeepStrictEqual } from "node:util"
import { type ReadEntry, readEntries } from "../../formats/entries.ts"
import { type Entry, type EntryType, lengthOf, titleLimit } from "../../formats/entry.ts"
import { normalizeEntry, writeEntry } from "../../formats/entry-writer.ts"
import { bodyHash } from "../../formats/ids.ts"
import { firstSentence } from "../../formats/legacy/summary.ts"
import { findFences } from "../../formats/markdown.ts"
import { omitUndefined } from "../../formats/objects.ts"
import { knownField, parseFieldLine } from "../../formats/sem-grammar.ts"
import { dominantLineEnd, isBlank, splitLines, trimBlankLines } from "../../formats/source-text.ts"
import { type ChangePlan, keepByteOrderMark } from "../change-plan.ts"
import { classOfType } from "../governed/load-index.ts"
import { pathBelow } from "../governed/memory-index.ts"
import { pinned } from "../merge/proposals.ts"
import { contextOf } from "../team-entries.ts"
import { type EditContext, type FoundEntry, noteChange, type PlannedEdit, putRecord } from "./item-edit.ts"

/** New texts for an entry, already checked against governance. */
export type NewWords = {
  type?: EntryType | undefined
  title?: string | undefined
  markdown?: string | undefined
  tags?: string[] | undefined
}

/** Plans a rewritten entry in the same place; `reason` goes to the audit log, `summary` to the user. */
export function planEdit(
  work: ChangePlan,
  desk: EditContext,
  found: FoundEntry,
  entry: Entry,
  said: { summary: string; reason: string },
): PlannedEdit {
  const { own, file, id, record } = found
  if (isDeepStrictEqual(entry, own.entry)) return { kind: "planned", id, summary: "Nothing to change" }
  if (!rewriteEntry(work, found, entry, desk)) return { kind: "refused", reason: wouldChangeOthers }
  const isSameType = entry.type === own.entry.type
  const memoryClass = (isSameType ? record?.class : undefined) ?? classOfType[entry.type]
  if (record) putRecord(work, record, { title: entry.title, class: memoryClass })
  noteChange(work, desk, { action: "write", entry, id, class: memoryClass, path: file.path, reason: said.reason })
  return { kind: "planned", id, summary: said.summary }
}

export const wouldChangeOthers = "the entries around it would change; edit the file by hand"

/** The entry with new texts; omitted fields stay. */
export function withWords(old: Entry, { type = old.type, title, markdown, tags }: NewWords): Entry {
  const entry = { ...old, type }
  const named = { ...entry, title: title ?? entry.title, tags: tags ?? entry.tags }
  const { title: newTitle, tags: newTags } = normalizeEntry(named)
  // A summary that only repeats the title keeps repeating it.
  const summary = entry.summary === entry.title ? newTitle : entry.summary
  const renamed: Entry = { ...entry, title: newTitle, tags: tags === undefined ? entry.tags : newTags, summary }
  if (markdown === undefined || markdown.trim() === toMarkdown(entry)) return renamed
  const { details: _, rationale: __, ...rest } = renamed
  const body = normalizeEntry({ ...rest, ...fromMarkdown(markdown, newTitle) })
  return {
    ...rest,
    summary: body.summary,
    ...omitUndefined({ details: body.details, rationale: body.rationale }),
  }
}

/**
 * Plans the file with a rewritten entry; its id and every byte around it stay. The result is parsed again first: returns
 * false if the entry or its neighbours would parse differently.
 */
function rewriteEntry(work: ChangePlan, found: FoundEntry, entry: Entry, options: { squadUi: boolean }): boolean {
  const { own, file, id } = found
  const segment = file.read.segments[found.position]?.text ?? ""
  const text = segment.trimEnd()
  const lineEnd = dominantLineEnd(file.content.text)
  const gap = segment.slice(text.length) || lineEnd
  const changed = pinned(entry, id)
  const normal = pinned(normalizeEntry(changed), id)
  const canonical = { entry: normal, text: writeEntry(normal, { lineEnd, ...options }).trimEnd() }
  const respelled = { entry: changed, text: respellEntry(text, own.entry, changed, lineEnd) }
  for (const form of own.format === "sem" ? [respelled, canonical] : [canonical]) {
    const file = withSegment(work, found, form.text + gap)
    if (file?.entry?.id !== id || !isDeepStrictEqual(file.entry.entry, form.entry)) continue
    work.draft.put(pathBelow(found.file), file.text)
    return true
  }
  return false
}

/** Plans the file without the entry, unless other entries would change. An inbox file that becomes empty is removed. */
export function removeEntry(work: ChangePlan, found: FoundEntry): boolean {
  const file = withSegment(work, found, undefined)
  if (!file) return false
  const isOver = found.file.source === "inbox" && file.text.trim() === ""
  work.draft.put(pathBelow(found.file), isOver ? null : file.text)
  return true
}

/** The file with the entry's text replaced, and the new entry; undefined if other entries would change. */
function withSegment({ roster, now }: ChangePlan, { file, position }: FoundEntry, segment: string | undefined) {
  const { segments, entries } = file.read
  const text = segments.map((each, index) => (index === position ? (segment ?? "") : each.text)).join("")
  const after = readEntries(text, contextOf(file, roster, now)).entries
  const own = segments[position]?.entry
  const at = own ? entries.indexOf(own) : -1
  const old = without(entries, at)
  const young = segment === undefined ? after : without(after, at)
  if (old.length !== young.length || !old.every((entry, index) => isSame(entry, young[index]))) return undefined
  return { text: keepByteOrderMark(file.content.text, text), entry: segment === undefined ? undefined : after[at] }
}

function without(entries: readonly ReadEntry[], position: number): ReadEntry[] {
  return entries.filter((_, index) => index !== position)
}

function isSame(one: ReadEntry, other: ReadEntry | undefined): boolean {
  return one.id === other?.id && bodyHash(one.entry) === bodyHash(other.entry)
}

/**
 * Rewrites only the changed lines of a SEM entry (title, contributors, tags, id, body) and keeps all other lines verbatim.
 * `text` begins with the header and has no trailing blank lines.
 */
function respellEntry(text: string, before: Entry, after: Entry, lineEnd: "\n" | "\r\n"): string {
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
