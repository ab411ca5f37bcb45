import { headingLevel } from "./demote-headings.ts"
import { type Diagnostic, diagnostic } from "./diagnostics.ts"
import {
  type BodyField,
  type FieldLine,
  isDashes,
  knownField,
  type OneLineField,
  parseBodyEndingLine,
  parseFieldLine,
  unescapeBodyLine,
} from "./sem-grammar.ts"
import { isBlank, trimBlankLines, trimBlanks } from "./source-text.ts"

/** A one-line field as it stands; `known` is the name the format has for it. */
export type MetadataLine = { label: string; known: OneLineField | undefined; value: string; line: number }

/** The fields of one entry, told apart but not yet understood. */
export type Fields = {
  metadata: MetadataLine[]
  bodies: Partial<Record<BodyField, string>>
  related: { text: string; line: number }[]
}

/** The lines of an entry below its header; `line` is the header's number in its file. */
export type EntryLines = { line: number; lines: string[]; fenced: Uint8Array }

type Body = { name: BodyField; lines: string[]; line: number; implicit: boolean }

/** Walks the lines once. The state says which field the next line belongs to: none, `related`, or a body. */
export function collectFields(source: EntryLines, diagnostics: Diagnostic[]): Fields {
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
export const relatedLine = /^[ \t]*(?:[-*+][ \t]+)?([A-Za-z][\w-]*):[ \t]*(.*[^ \t])[ \t]*$/s

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

/** The lines that go on with a one-line field: up to a blank line, a fence, or the next field. */
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
