import { checkEntry, type Diagnostic, type DiagnosticCode, diagnostic } from "./diagnostics.ts"
import { agentScope, type Entry, isScope, type Related } from "./entry.ts"
import { isEntryId } from "./ids.ts"
import { headingLevel } from "./markdown.ts"
import {
  type BodyField,
  bodyFields,
  type FieldLine,
  isDashes,
  knownField,
  type OneLineField,
  parseBodyEndingLine,
  parseFieldLine,
  type SemHeader,
  toEntryType,
  unescapeBodyLine,
} from "./sem-grammar.ts"
import { isBlank, trimBlankLines, trimBlanks } from "./source-text.ts"
import { dateOf, instantOf, isCalendarDate, parseTimestamp, secondOfDay, type Timestamp } from "./timestamp.ts"

/** A SEM entry as it was read. Without a time in header or field it is still midnight, and `timeStated` is false. */
export type SemReading = { entry: Entry; scopeExplicit: boolean; timeStated: boolean; diagnostics: Diagnostic[] }

export type SemLines = EntryLines & {
  header: SemHeader
  /** The agent whose history contains the entry. */
  agent?: string | undefined
  /** Possible authors of an entry that names none. */
  findFallback?: () => string | undefined
}

/** Reads the fields of one entry. An entry is always returned; problems are diagnostics. */
export function readSemEntry(source: SemLines): SemReading {
  const diagnostics: Diagnostic[] = []
  const fields = collectFields(source, diagnostics)
  const report = (code: DiagnosticCode, message: string, line = source.line) =>
    diagnostics.push(diagnostic(code, line, message))
  const taken = new Set<MetadataLine>()
  const take: Take = (name, parse) => takeField(fields, name, parse, taken, report)

  const type = readType(source.header, take, report)
  const time = readTime(source.header, take, report)
  const author = readAuthor(source, fields, take, taken, report)
  const scope = take("scope", (value) => (isScope(value) ? value : undefined))
  const expires = take("expires", (value) => parseTimestamp(value) ?? parseTimestamp(`${value}T00:00:00Z`))
  const list = (name: OneLineField) => take(name, splitList)?.value ?? []
  const { title } = source.header
  const summary = take("summary", (value) => value)

  const entry: Entry = {
    type,
    timestamp: time.timestamp,
    precision: time.precision,
    author,
    contributors: list("contributors"),
    title,
    summary: summary?.value ?? title,
    scope: scope?.value ?? defaultScope(type, author, source.agent),
    tags: uniqueTags(list("tags")),
    related: fields.related.map(({ text }) => readRelated(text)),
    supersedes: list("supersedes"),
    supersededBy: list("supersededBy"),
    extensions: [],
  }
  for (const name of bodyFields) {
    const body = fields.bodies[name]
    if (body !== undefined) entry[name] = body
  }
  if (expires) entry.expires = expires.value
  const id = take("id", (text) => (isEntryId(text) ? text : undefined))?.value
  if (id !== undefined) entry.id = id
  const review = take("review", (text) => text)?.value
  if (review !== undefined) entry.review = review
  entry.extensions = leftOver(fields, taken)
  const lines = { summary: summary?.line, scope: scope?.line, expires: expires?.line, header: source.line }
  const lineOf = (field: "header" | "summary" | "related" | "scope" | "expires", index = 0) =>
    (field === "related" ? fields.related[index]?.line : lines[field]) ?? source.line
  diagnostics.push(...checkEntry(entry, lineOf))
  return { entry, scopeExplicit: scope !== undefined, timeStated: time.stated, diagnostics }
}

/** The scope of an entry that names none. Views show `agent:` entries to that agent alone. */
export function defaultScope(type: Entry["type"], author: string, agent?: string): string {
  if (type !== "memory") return "team"
  return agentScope(agent ?? author)
}

/** Tags without duplicates, ignoring case; the first spelling stays. */
export function uniqueTags(tags: string[]): string[] {
  const seen = new Set<string>()
  return tags.filter((tag) => !seen.has(tag.toLowerCase()) && seen.add(tag.toLowerCase()))
}

type Report = (code: DiagnosticCode, message: string, line?: number) => void
type Take = <Value>(
  name: OneLineField,
  parse: (value: string) => Value | undefined,
) => { value: Value; line: number } | undefined

/** The first valid value of a field. Later and invalid ones are reported and left unchanged. */
function takeField<Value>(
  fields: Fields,
  name: OneLineField,
  parse: (value: string) => Value | undefined,
  taken: Set<MetadataLine>,
  report: Report,
): { value: Value; line: number } | undefined {
  let found: { value: Value; line: number } | undefined
  for (const item of fields.metadata) {
    if (item.known !== name) continue
    if (item.value === "") {
      taken.add(item) // a label without a value is ignored
      continue
    }
    const value = found ? undefined : parse(item.value)
    if (value !== undefined) {
      found = { value, line: item.line }
      taken.add(item)
    } else if (found) report("duplicate-field", `"${item.label}" appears twice; the first one is used.`, item.line)
    else report("invalid-field", `"${item.value}" is not a valid ${name}.`, item.line)
  }
  return found
}

/** Unknown fields, and known ones that are repeated or invalid: kept, never dropped. */
function leftOver(fields: Fields, taken: ReadonlySet<MetadataLine>): Entry["extensions"] {
  return fields.metadata.filter((item) => !taken.has(item)).map(({ label, value }) => ({ name: label, value }))
}

function readType(header: SemHeader, take: Take, report: Report): Entry["type"] {
  const field = take("type", toEntryType)
  if (field && field.value !== header.type) {
    report(
      "header-field-mismatch",
      `The header says ${header.type}, the field says ${field.value}; the field is used.`,
      field.line,
    )
  }
  return field?.value ?? header.type
}

function readTime(
  header: SemHeader,
  take: Take,
  report: Report,
): { timestamp: Timestamp; precision: Entry["precision"]; stated: boolean } {
  const field = take("timestamp", (value) => parseTimestamp(value) ?? (isCalendarDate(value) ? value : undefined))
  const precision = take("precision", (value) => (value === "day" || value === "second" ? value : undefined))?.value
  const stated = field && parseTimestamp(field.value)
  if (!field) report("missing-timestamp", "The timestamp field is missing; the header's time is used.")
  if (header.when.kind === "time") {
    const { timestamp } = header.when
    if (stated && instantOf(stated) !== instantOf(timestamp)) {
      report(
        "header-field-mismatch",
        "The header's time and the timestamp field differ; the header is used.",
        field.line,
      )
    }
    return { timestamp, precision: precision ?? "second", stated: true }
  }
  if (stated && dateOf(stated) === header.when.date)
    return { timestamp: stated, precision: precision ?? "second", stated: true }
  report("date-only", "The header has a date but no time of day.")
  return { timestamp: secondOfDay(header.when.date, 0), precision: "day", stated: false }
}

/** `**By:**` is what older readers expect: it repeats the author, or replaces it. */
function readAuthor(source: SemLines, fields: Fields, take: Take, taken: Set<MetadataLine>, report: Report): string {
  const by = fields.metadata.filter(({ label, value }) => label.toLowerCase() === "by" && value !== "")
  const author = take("author", (value) => value)?.value ?? by[0]?.value
  for (const item of by) if (item.value === author) taken.add(item)
  if (author !== undefined) return author
  const fallback = source.findFallback?.() ?? source.agent
  report("missing-author", fallback ? `The entry has no author; ${fallback} is likely.` : "The entry has no author.")
  return fallback ?? "unknown"
}

/** A link that names no kind is a plain reference. */
function readRelated(text: string): Related {
  const match = relatedLine.exec(text)
  if (match) return { type: (match[1] ?? "").toLowerCase(), identifier: match[2] ?? "" }
  return { type: "reference", identifier: trimBlanks(text.replace(/^[ \t]*[-*+][ \t]+/, "")) }
}

/** A one-line field as written; `known` is its name in the format. */
type MetadataLine = { label: string; known: OneLineField | undefined; value: string; line: number }

/** The fields of one entry, separated but not yet parsed. */
type Fields = {
  metadata: MetadataLine[]
  bodies: Partial<Record<BodyField, string>>
  related: { text: string; line: number }[]
}

/** The lines of an entry below its header; `line` is the header's number in its file. */
type EntryLines = { line: number; lines: string[]; fenced: Uint8Array }

type Body = { name: BodyField; lines: string[]; line: number; implicit: boolean }

/** Walks the lines once. The state is the field that the next line belongs to: none, `related`, or a body. */
function collectFields(source: EntryLines, diagnostics: Diagnostic[]): Fields {
  const fields: Fields = { metadata: [], bodies: {}, related: [] }
  const bodies: Body[] = []
  const { lines, fenced } = source
  let state: "fields" | "related" | "body" = "fields"
  let index = 0

  while (index < lines.length) {
    const line = lines[index] ?? ""
    const isFenced = fenced[index] === 1
    const lineNumber = source.line + 1 + index
    const field = isFenced ? undefined : state === "body" ? parseBodyEndingLine(line) : fieldOrText(source, index)
    index++
    if (field) {
      const name = knownField(field.label)
      if (name === "details" || name === "rationale") {
        state = "body"
        bodies.push({ name, lines: field.value ? [field.value] : [], line: lineNumber, implicit: false })
      } else if (name === "related") {
        state = "related"
        for (const text of splitList(field.value)) fields.related.push({ text, line: lineNumber })
      } else {
        state = "fields"
        const continued = continuation(source, index)
        index += continued.length
        const value = [field.value, ...continued].map(trimBlanks).filter(Boolean).join(" ")
        fields.metadata.push({ label: field.label, known: name, value, line: lineNumber })
      }
    } else if (state === "body") {
      bodies.at(-1)?.lines.push(isFenced ? line : unescapeBodyLine(line))
    } else if (isBlank(line)) {
      // Between fields; a list under `related` may be spaced out.
    } else if (state === "related" && !isFenced && isRelatedLine(line)) {
      fields.related.push({ text: line, line: lineNumber })
    } else {
      state = "body"
      const text = isFenced ? line : unescapeBodyLine(line)
      bodies.push({ name: "details", lines: [text], line: lineNumber, implicit: true })
      diagnostics.push(diagnostic("implicit-details", lineNumber, "Text outside a field is treated as details."))
    }
  }
  for (const body of bodies) addBody(fields, body, diagnostics)
  return fields
}

/** A comma list, trimmed, without empty items. */
export function splitList(text: string): string[] {
  return text.split(",").map(trimBlanks).filter(Boolean)
}

/** `- issue: #18`, with or without the dash. */
const relatedLine = /^[ \t]*(?:[-*+][ \t]+)?([A-Za-z][\w-]*):[ \t]*(.*[^ \t])[ \t]*$/s

function isRelatedLine(line: string): boolean {
  return /^[ \t]*[-*+][ \t]/.test(line) || relatedLine.test(line)
}

/** An unknown label alone on its line that opens a list or a paragraph is text, not a field without a value. */
function fieldOrText(source: EntryLines, index: number): FieldLine | undefined {
  const field = parseFieldLine(source.lines[index] ?? "")
  if (!field || field.value || knownField(field.label)) return field
  const next = source.lines[index + 1] ?? ""
  return isBlank(next) || parseFieldLine(next) ? field : undefined
}

/** The continuation lines of a one-line field: up to a blank line, a fence, or the next field. */
function continuation(source: EntryLines, from: number): string[] {
  let end = from
  while (end < source.lines.length) {
    const line = source.lines[end] ?? ""
    if (isBlank(line) || source.fenced[end] || isDashes(line) || headingLevel(line) > 0 || parseFieldLine(line)) break
    end++
  }
  return source.lines.slice(from, end)
}

function addBody(fields: Fields, body: Body, diagnostics: Diagnostic[]): void {
  const text = trimBlankLines(body.lines).join("\n")
  const earlier = fields.bodies[body.name]
  if (earlier !== undefined && !body.implicit) {
    diagnostics.push(diagnostic("duplicate-field", body.line, `"${body.name}" appears twice; both are kept.`))
  }
  if (text === "") return
  fields.bodies[body.name] = earlier === undefined ? text : `${earlier}\n\n${text}`
}
