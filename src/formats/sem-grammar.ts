import { type EntryType, entryTypes } from "./entry.ts"
import { isCalendarDate, parseTimestamp, type Timestamp } from "./timestamp.ts"

/** The lines that carry meaning in SEM; the reader and the writer's escaping share them. */

export type SemHeader = {
  when: { kind: "time"; timestamp: Timestamp } | { kind: "day"; date: string }
  type: EntryType
  title: string
}

const header =
  /^###[ \t]+(\d{4}-\d{2}-\d{2}(?:T[\d:.,]+(?:Z|[+-]\d{2}:?\d{2}))?):[ \t]+(decision|memory|note|directive):[ \t]+(.*[^ \t])[ \t]*$/is

/** Reads `### <timestamp or date>: <type>: <title>`; an impossible date makes it no header. */
export function parseSemHeader(line: string): SemHeader | undefined {
  if (!line.startsWith("###")) return undefined
  const match = header.exec(line)
  if (!match) return undefined
  const [, when = "", type = "", title = ""] = match
  const timestamp = parseTimestamp(when)
  if (timestamp) return { when: { kind: "time", timestamp }, type: toEntryType(type) ?? "note", title }
  if (isCalendarDate(when)) return { when: { kind: "day", date: when }, type: toEntryType(type) ?? "note", title }
  return undefined
}

const datedTitle = /^###[ \t]+(\d{4}-\d{2}-\d{2}):[ \t]+(.*[^ \t])[ \t]*$/s
const typeLine = /^\*\*type:\*\*[ \t]+(decision|memory|note|directive)[ \t]*$/

/**
 * The header at a line: SEM's own, or the one that SquadUI shows with the right title. That one has a date and a title; type and time of
 * day are in the fields below it.
 */
export function semHeaderAt(lines: readonly string[], index: number): SemHeader | undefined {
  const line = lines[index] ?? ""
  const strict = parseSemHeader(line)
  if (strict || !line.startsWith("###")) return strict
  const type = toEntryType(typeLine.exec(lines[index + 2] ?? "")?.[1] ?? "")
  const [, date = "", title = ""] = (type && datedTitle.exec(line)) || []
  if (!type || !isCalendarDate(date) || !lines[index + 3]?.startsWith(`**timestamp:** ${date}T`)) return undefined
  return { when: { kind: "day", date }, type, title }
}

/** True for a line that would be a SEM header if its date existed. */
export function hasImpossibleDate(line: string): boolean {
  return header.test(line) && parseSemHeader(line) === undefined
}

export function toEntryType(text: string): EntryType | undefined {
  const lower = text.trim().toLowerCase()
  return entryTypes.find((type) => type === lower)
}

const datedHeading = /^#{1,3}[ \t]+\[?\d{4}-\d{2}-\d{2}/

/** A heading of level 1 to 3 that begins with a date: every reader, old or new, treats it as the start of an entry. */
export function isDatedHeading(line: string): boolean {
  return line.charCodeAt(0) === 0x23 && datedHeading.test(line)
}

export function isDashes(line: string): boolean {
  return line.startsWith("---") && /^---[ \t]*$/.test(line)
}

const keptConflict = /^<!-- drey: conflict (\S+) -->[ \t]*$/

/** The id in the comment that a merge leaves before the second version of an entry which both sides changed. */
export function keptConflictId(line: string): string | undefined {
  return line.charCodeAt(0) === 0x3c ? keptConflict.exec(line)?.[1] : undefined
}

export const oneLineFields = [
  "type",
  "timestamp",
  "author",
  "contributors",
  "scope",
  "tags",
  "supersedes",
  "supersededBy",
  "expires",
  "id",
  "precision",
  "review",
  "summary",
] as const
export const bodyFields = ["details", "rationale"] as const
export type OneLineField = (typeof oneLineFields)[number]
export type BodyField = (typeof bodyFields)[number]
export type FieldName = OneLineField | BodyField | "related"

const knownNames: readonly FieldName[] = [...oneLineFields, ...bodyFields, "related"]
const knownByLowerCase = new Map(knownNames.map((name) => [name.toLowerCase(), name]))

export function knownField(label: string): FieldName | undefined {
  return knownByLowerCase.get(label.toLowerCase())
}

const anyLabel = /^\*\*([A-Za-z][\w -]*)(?::\*\*|\*\*:)(?:[ \t]+(.*))?$/s
const exactLabel = new RegExp(`^\\*\\*(${knownNames.join("|")}):\\*\\*(?:[ \\t]+(.*))?$`, "s")

export type FieldLine = { label: string; value: string }

/** A field line where any label is allowed: before a body, or after `related` and the one-line fields. */
export function parseFieldLine(line: string): FieldLine | undefined {
  return parseLabel(line, anyLabel)
}

/** A field line inside a body: only the exact known names end it; `**Impact:**` is text. */
export function parseBodyEndingLine(line: string): FieldLine | undefined {
  return parseLabel(line, exactLabel)
}

function parseLabel(line: string, pattern: RegExp): FieldLine | undefined {
  if (!line.startsWith("**")) return undefined
  const match = pattern.exec(line)
  return match ? { label: match[1] ?? "", value: match[2] ?? "" } : undefined
}

const meaningful = new RegExp(
  `^\\\\*(?:#{1,3}[ \\t]+\\[?\\d{4}-\\d{2}-\\d{2}|---[ \\t]*$|<<<<<<<(?: |$)|<!--(?: drey: conflict |(?!.*-->))|\\*\\*(?:${knownNames.join("|")}):\\*\\*(?:[ \\t]|$))`,
)

/** True for a body line that, but for leading backslashes, would be read as structure. */
export function needsEscape(line: string): boolean {
  const first = line.charCodeAt(0)
  if (first !== 0x5c && first !== 0x23 && first !== 0x2d && first !== 0x2a && first !== 0x3c) return false
  return meaningful.test(line)
}

export function unescapeBodyLine(line: string): string {
  return line.charCodeAt(0) === 0x5c && meaningful.test(line) ? line.slice(1) : line
}
