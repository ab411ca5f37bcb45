import { checkEntry } from "./check-entry.ts"
import { headingLevel } from "./demote-headings.ts"
import { type Diagnostic, type DiagnosticCode, diagnostic } from "./diagnostics.ts"
import type { Entry, Extension, Related } from "./entry.ts"
import { agentScope, isScope } from "./scope.ts"
import {
  type BodyField,
  bodyFields,
  type FieldLine,
  type FieldName,
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
import { dateOf, instantOf, parseTimestamp, secondOfDay, type Timestamp } from "./timestamp.ts"

/** A SEM entry as it was read. The time of day is still midnight when `entry.precision` is `day`. */
export type SemReading = { entry: Entry; scopeExplicit: boolean; diagnostics: Diagnostic[] }

/** The lines of one entry below its header, with the line number of the header in its file. */
export type SemLines = {
  header: SemHeader
  line: number
  lines: string[]
  fenced: Uint8Array
  agent?: string | undefined
}

/** Reads the fields of one entry. Whatever the lines say, an entry comes out; what is odd about it is a diagnostic. */
export function readSemEntry(source: SemLines): SemReading {
  const diagnostics: Diagnostic[] = []
  const fields = collectFields(source, diagnostics)
  const report = (code: DiagnosticCode, message: string, line = source.line) =>
    diagnostics.push(diagnostic(code, line, message))

  const type = readType(source.header, fields, report)
  const { timestamp, precision } = readTime(source.header, fields, report)
  const author = readAuthor(source, fields, report)
  const explicitScope = readScope(fields, report)
  const expires = readExpires(fields, report)
  const title = source.header.title

  const entry: Entry = {
    type,
    timestamp,
    precision,
    author,
    contributors: splitList(valueOfField(fields, "contributors")),
    title,
    summary: fields.oneLine.get("summary")?.value || title,
    scope: explicitScope ?? defaultScope(type, author, source.agent),
    tags: uniqueTags(splitList(valueOfField(fields, "tags"))),
    related: fields.related.map(({ text }) => readRelated(text)),
    supersedes: splitList(valueOfField(fields, "supersedes")),
    supersededBy: splitList(valueOfField(fields, "supersededBy")),
    extensions: fields.extensions.map(({ name, value }) => ({ name, value })),
  }
  for (const name of bodyFields) {
    const body = fields.bodies[name]
    if (body !== undefined) entry[name] = body
  }
  if (expires) entry.expires = expires
  for (const name of ["id", "review"] as const) {
    const value = valueOfField(fields, name)
    if (value) entry[name] = value
  }
  diagnostics.push(...checkEntry(entry, (field, index = 0) => lineOf(fields, field, index) ?? source.line))
  return { entry, scopeExplicit: explicitScope !== undefined, diagnostics }
}

/** The scope of an entry that names none. Views show `agent:` entries to that agent alone. */
export function defaultScope(type: Entry["type"], author: string, agent?: string): string {
  if (type !== "memory") return "team"
  return agentScope(agent ?? author)
}

/** A comma list, trimmed, without empty items. */
export function splitList(text: string): string[] {
  return text.split(",").map(trimBlanks).filter(Boolean)
}

/** Tags without repetitions, case aside; the first spelling stays. */
export function uniqueTags(tags: string[]): string[] {
  const seen = new Set<string>()
  return tags.filter((tag) => !seen.has(tag.toLowerCase()) && seen.add(tag.toLowerCase()))
}

type Found = { value: string; line: number }
type Fields = {
  oneLine: Map<OneLineField, Found>
  bodies: Partial<Record<BodyField, string>>
  related: { text: string; line: number }[]
  extensions: (Extension & { line: number })[]
}
type Report = (code: DiagnosticCode, message: string, line?: number) => void

/** Walks the lines once. The state says which field the next line belongs to: none, `related`, or a body. */
function collectFields(source: SemLines, diagnostics: Diagnostic[]): Fields {
  const fields: Fields = { oneLine: new Map(), bodies: {}, related: [], extensions: [] }
  const bodies: { name: BodyField; lines: string[]; line: number; implicit: boolean }[] = []
  const { lines, fenced } = source
  let state: "fields" | "related" | "body" = "fields"
  let index = 0

  while (index < lines.length) {
    const line = lines[index] ?? ""
    const lineNumber = source.line + 1 + index
    const field = fenced[index] ? undefined : state === "body" ? parseBodyEndingLine(line) : fieldOrText(source, index)
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
        addOneLine(fields, name, { name: field.label, value, line: lineNumber }, diagnostics)
      }
    } else if (state === "body") {
      bodies.at(-1)?.lines.push(fenced[index - 1] ? line : unescapeBodyLine(line))
    } else if (isBlank(line)) {
      // Between fields; a list under `related` may be spaced out.
    } else if (state === "related" && !fenced[index - 1] && isRelatedLine(line)) {
      fields.related.push({ text: line, line: lineNumber })
    } else {
      state = "body"
      bodies.push({
        name: "details",
        lines: [fenced[index - 1] ? line : unescapeBodyLine(line)],
        line: lineNumber,
        implicit: true,
      })
      diagnostics.push(diagnostic("implicit-details", lineNumber, "Text outside a field is read as details."))
    }
  }
  for (const body of bodies) addBody(fields, body, diagnostics)
  return fields
}

/** An unknown label alone on its line that opens a list or a paragraph is text, not a field without a value. */
function fieldOrText(source: SemLines, index: number): FieldLine | undefined {
  const field = parseFieldLine(source.lines[index] ?? "")
  if (!field || field.value || knownField(field.label)) return field
  const next = source.lines[index + 1] ?? ""
  return isBlank(next) || parseFieldLine(next) ? field : undefined
}

/** The lines that go on with a one-line field: up to a blank line, a fence, or the next field. */
function continuation(source: SemLines, from: number): string[] {
  let end = from
  while (end < source.lines.length) {
    const line = source.lines[end] ?? ""
    if (isBlank(line) || source.fenced[end] || isDashes(line) || headingLevel(line) > 0 || parseFieldLine(line)) break
    end++
  }
  return source.lines.slice(from, end)
}

function addOneLine(
  fields: Fields,
  name: FieldName | undefined,
  found: Extension & { line: number },
  diagnostics: Diagnostic[],
): void {
  const known = name as OneLineField | undefined
  if (known && !fields.oneLine.has(known)) {
    fields.oneLine.set(known, { value: found.value, line: found.line })
    return
  }
  if (known)
    diagnostics.push(diagnostic("duplicate-field", found.line, `"${found.name}" stands twice; the first one counts.`))
  fields.extensions.push(found)
}

function addBody(
  fields: Fields,
  body: { name: BodyField; lines: string[]; line: number; implicit: boolean },
  diagnostics: Diagnostic[],
): void {
  const text = trimBlankLines(body.lines).join("\n")
  const earlier = fields.bodies[body.name]
  if (earlier !== undefined && !body.implicit) {
    diagnostics.push(diagnostic("duplicate-field", body.line, `"${body.name}" stands twice; both are kept.`))
  }
  if (text === "") return
  fields.bodies[body.name] = earlier === undefined ? text : `${earlier}\n\n${text}`
}

function valueOfField(fields: Fields, name: OneLineField): string {
  return fields.oneLine.get(name)?.value ?? ""
}

function readType(header: SemHeader, fields: Fields, report: Report): Entry["type"] {
  const field = fields.oneLine.get("type")
  if (!field) return header.type
  const type = toEntryType(field.value)
  if (!type) {
    report("invalid-field", `"${field.value}" is not an entry type; the header's "${header.type}" counts.`, field.line)
    return header.type
  }
  if (type !== header.type)
    report(
      "header-field-mismatch",
      `The header says ${header.type}, the field says ${type}; the field counts.`,
      field.line,
    )
  return type
}

function readTime(
  header: SemHeader,
  fields: Fields,
  report: Report,
): { timestamp: Timestamp; precision: Entry["precision"] } {
  const field = fields.oneLine.get("timestamp")
  const stated = field ? parseTimestamp(field.value) : undefined
  if (field && !stated && !/^\d{4}-\d{2}-\d{2}$/.test(field.value)) {
    report("invalid-field", `"${field.value}" is not a timestamp.`, field.line)
  }
  if (!field) report("missing-timestamp", "The timestamp field is missing; the header's counts.")
  if (header.when.kind === "time") {
    const { timestamp } = header.when
    if (stated && instantOf(stated) !== instantOf(timestamp)) {
      report(
        "header-field-mismatch",
        `The header's time and the timestamp field differ; the header counts.`,
        field?.line,
      )
    }
    return { timestamp, precision: valueOfField(fields, "precision") === "day" ? "day" : "second" }
  }
  if (stated && dateOf(stated) === header.when.date) return { timestamp: stated, precision: "second" }
  report("date-only", "The header has a date but no time of day.")
  return { timestamp: secondOfDay(header.when.date, 0), precision: "day" }
}

/** `**By:**` is what older readers look for: it repeats the author, or stands in for it. */
function readAuthor(source: SemLines, fields: Fields, report: Report): string {
  const by = fields.extensions.find((field) => field.name.toLowerCase() === "by")
  const author = valueOfField(fields, "author") || by?.value
  if (by && by.value === author) fields.extensions.splice(fields.extensions.indexOf(by), 1)
  if (author) return author
  report(
    "missing-author",
    source.agent ? `No author; taken from the folder: ${source.agent}.` : "The entry has no author.",
  )
  return source.agent ?? "unknown"
}

function readScope(fields: Fields, report: Report): string | undefined {
  const field = fields.oneLine.get("scope")
  if (!field) return undefined
  if (isScope(field.value)) return field.value
  report("invalid-field", `"${field.value}" is not a scope: team, project, agent:<name> or skill:<name>.`, field.line)
  return undefined
}

function readExpires(fields: Fields, report: Report): Timestamp | undefined {
  const field = fields.oneLine.get("expires")
  if (!field) return undefined
  const timestamp = parseTimestamp(field.value) ?? parseTimestamp(`${field.value}T00:00:00Z`)
  if (!timestamp) report("invalid-field", `"${field.value}" is not a timestamp.`, field.line)
  return timestamp
}

const relatedLine = /^[ \t]*(?:[-*+][ \t]+)?([A-Za-z][\w-]*):[ \t]*(.*[^ \t])[ \t]*$/s

function isRelatedLine(line: string): boolean {
  return /^[ \t]*[-*+][ \t]/.test(line) || relatedLine.test(line)
}

function readRelated(text: string): Related {
  const match = relatedLine.exec(text)
  if (match) return { type: (match[1] ?? "").toLowerCase(), identifier: match[2] ?? "" }
  return { type: "", identifier: trimBlanks(text.replace(/^[ \t]*[-*+][ \t]+/, "")) }
}

function lineOf(
  fields: Fields,
  field: "header" | "summary" | "related" | "scope" | "expires",
  index: number,
): number | undefined {
  if (field === "header") return undefined
  return field === "related" ? fields.related[index]?.line : fields.oneLine.get(field)?.line
}
