import { isMap, isScalar, LineCounter, type ParsedNode, parseDocument, stringify } from "yaml"
import type { Severity } from "./diagnostics.ts"
import { isBlank, splitLines, trimBlankLines } from "./source-text.ts"

export const skillConfidences = ["low", "medium", "high"] as const
export type SkillConfidence = (typeof skillConfidences)[number]

/** A tool the skill uses; most skills give only its name. */
export type SkillTool = { name: string; description?: string; when?: string }

/** A skill of the team: one `SKILL.md`. */
export type Skill = {
  /** The directory's name, whatever the file says. */
  name: string
  description: string
  domain?: string
  confidence?: SkillConfidence
  /** `manual`, `observed` or `earned`, often with a remark: `earned (issue #267)`. */
  source?: string
  tools: SkillTool[]
  triggers: string[]
  roles: string[]
  version?: string
  /** Fields that Drey does not use, kept for other tools. */
  extra: Record<string, unknown>
  body: string
  diagnostics: SkillDiagnostic[]
}

/** One thing the reader noticed; `line` counts from 1. */
export type SkillDiagnostic = { code: SkillDiagnosticCode; severity: Severity; line: number; message: string }

const severityOf = {
  "invalid-field": "warning",
  "invalid-front-matter": "error",
  "missing-body": "error",
  "missing-description": "warning",
  "name-mismatch": "warning",
  "no-front-matter": "info",
  "unclosed-front-matter": "error",
} as const satisfies Record<string, Severity>

export type SkillDiagnosticCode = keyof typeof severityOf

/** Reads a `SKILL.md` with front matter, in Squad's own form, or with neither. Never throws on content. */
export function readSkill(text: string, directoryName: string): Skill {
  const { lines } = splitLines(text)
  const header = readSkillHeader(lines)
  const diagnostics = checkHeader(header, directoryName)
  const report: Report = (code, line, message) => diagnostics.push(noticed(code, line, message))
  const body = trimBlankLines(lines.slice(header.bodyStart)).join("\n")
  if (body === "") report("missing-body", Math.max(1, lines.length), "The skill has no text below its header.")
  return {
    name: directoryName,
    description: header.fields.get("description")?.text || firstProseLine(body),
    ...readTexts(header.fields),
    ...readConfidence(header.fields, report),
    tools: readList("tools", header.fields, report),
    triggers: readList("triggers", header.fields, report).map(({ name }) => name),
    roles: readList("roles", header.fields, report).map(({ name }) => name),
    extra: readExtra(header.fields),
    body,
    diagnostics,
  }
}

/** The one form Drey writes: front matter in a fixed order, a blank line, the body. */
export function writeSkill(skill: Skill): string {
  const { name, description, domain, confidence, source, triggers, roles, version, extra, body } = skill
  const tools = skill.tools.map((tool) => (Object.keys(tool).length === 1 ? tool.name : tool))
  const known = { name, description, domain, confidence, source, tools, triggers, roles, version }
  const written = Object.entries(known).filter(([, value]) =>
    Array.isArray(value) ? value.length > 0 : value !== undefined,
  )
  const yaml = stringify({ ...Object.fromEntries(written), ...extra }, { lineWidth: 0, aliasDuplicateObjects: false })
  return `---\n${yaml}---\n${body === "" ? "" : `\n${body}\n`}`
}

type Fields = ReadonlyMap<string, SkillField>
type Report = (code: SkillDiagnosticCode, line: number, message: string) => void

function noticed(code: SkillDiagnosticCode, line: number, message: string): SkillDiagnostic {
  return { code, severity: severityOf[code], line, message }
}

function checkHeader({ form, fields, problems }: SkillHeader, directoryName: string): SkillDiagnostic[] {
  const diagnostics = problems.map(({ line, message }) => noticed("invalid-front-matter", line, message))
  if (form === "unclosed") diagnostics.push(noticed("unclosed-front-matter", 1, 'No "---" closes the front matter.'))
  if (form === "none" || form === "labels")
    diagnostics.push(noticed("no-front-matter", 1, "The skill has no front matter."))
  if (form === "front-matter" && !fields.get("description")?.text) {
    diagnostics.push(
      noticed("missing-description", 1, "The skill has no description, so agents do not know when to use it."),
    )
  }
  const name = fields.get("name")
  if (name?.text && name.text !== directoryName) {
    const message = `The skill calls itself "${name.text}"; the name of its folder, "${directoryName}", is used.`
    diagnostics.push(noticed("name-mismatch", name.line, message))
  }
  return diagnostics
}

/** Replaces a missing description: the first line that is not a heading, label, list, table, fence or comment. */
function firstProseLine(body: string): string {
  const lines = body.split("\n").map((line) => line.replace(/^>/, "").trim())
  return lines.find((line) => line !== "" && !/^(?:#|\*\*[^*]+:\*\*|[-*+|]|\d+[.)] |```|~~~|<!--)/.test(line)) ?? ""
}

function readTexts(fields: Fields): { domain?: string; source?: string; version?: string } {
  const texts: { domain?: string; source?: string; version?: string } = {}
  for (const name of ["domain", "source", "version"] as const) {
    const text = fields.get(name)?.text
    if (text) texts[name] = text
  }
  return texts
}

function readConfidence(fields: Fields, report: Report): { confidence?: SkillConfidence } {
  const field = fields.get("confidence")
  if (!field?.text) return {}
  const confidence = skillConfidences.find((known) => known === field.text?.toLowerCase())
  if (confidence) return { confidence }
  report("invalid-field", field.line, `Confidence must be low, medium or high, not "${field.text}".`)
  return {}
}

/** A YAML list of names or of `{ name, … }`, or one line with commas. */
function readList(name: "tools" | "triggers" | "roles", fields: Fields, report: Report): SkillTool[] {
  const field = fields.get(name)
  if (!field || field.value === null) return []
  const items = Array.isArray(field.value) ? field.value : field.text?.split(",")
  const tools = (items ?? [undefined]).map(readTool)
  if (tools.includes(undefined)) report("invalid-field", field.line, `"${name}" must be a list of names.`)
  return tools.filter((tool) => tool !== undefined).filter((tool) => tool.name !== "")
}

function readTool(item: unknown): SkillTool | undefined {
  if (typeof item === "string" || typeof item === "number") return { name: String(item).trim() }
  if (typeof item !== "object" || item === null || !("name" in item) || typeof item.name !== "string") return undefined
  const tool: SkillTool = { name: item.name.trim() }
  if ("description" in item && typeof item.description === "string") tool.description = item.description
  if ("when" in item && typeof item.when === "string") tool.when = item.when
  return tool
}

const knownFields = new Set([
  "name",
  "description",
  "domain",
  "confidence",
  "source",
  "tools",
  "triggers",
  "roles",
  "version",
])

function readExtra(fields: Fields): Record<string, unknown> {
  const extra = [...fields].filter(([name, { value }]) => !knownFields.has(name) && value !== undefined)
  return Object.fromEntries(extra.map(([name, { value }]) => [name, value]))
}

/** The metadata above a skill's text, by format; `bodyStart` is the index of the first line below it. */
type SkillHeader = SkillFrontMatter & { form: "front-matter" | "labels" | "unclosed" | "none"; bodyStart: number }

/** Reads YAML between `---` lines, or Squad's own form: `# name` with `**Confidence:**` and `**Updated:**` below it. */
export function readSkillHeader(lines: readonly string[]): SkillHeader {
  if (!isFrontMatterLine(lines[0])) return readLabels(lines)
  const close = lines.findIndex((line, index) => index > 0 && isFrontMatterLine(line))
  if (close === -1) return { form: "unclosed", fields: new Map(), problems: [], bodyStart: 0 }
  return { form: "front-matter", ...readSkillFrontMatter(lines.slice(1, close)), bodyStart: close + 1 }
}

function isFrontMatterLine(line = ""): boolean {
  return line.startsWith("---") && isBlank(line.slice(3))
}

/** Without a label below it, a heading belongs to the text. */
function readLabels(lines: readonly string[]): SkillHeader {
  const none: SkillHeader = { form: "none", fields: new Map(), problems: [], bodyStart: 0 }
  const nameAt = skipBlankLines(lines, 0)
  const name = /^#[ \t]+(.+)$/.exec(lines[nameAt] ?? "")?.[1]?.trim()
  if (!name) return none
  const fields = new Map([["name", fieldAt(nameAt, name)]])
  let at = skipBlankLines(lines, nameAt + 1)
  for (let label = readLabel(lines[at]); label; label = readLabel(lines[at])) {
    fields.set(label.name, fieldAt(at, label.text))
    at = skipBlankLines(lines, at + 1)
  }
  return fields.size === 1 ? none : { form: "labels", fields, problems: [], bodyStart: at }
}

function readLabel(line = ""): { name: string; text: string } | undefined {
  const [, name, text = ""] = /^\*\*(Confidence|Updated):\*\*(.*)$/.exec(line) ?? []
  return name === undefined ? undefined : { name: name.toLowerCase(), text: text.trim() }
}

function fieldAt(index: number, text: string): SkillField {
  return { line: index + 1, value: text, text }
}

function skipBlankLines(lines: readonly string[], from: number): number {
  let at = from
  while (at < lines.length && isBlank(lines[at] ?? "")) at++
  return at
}

/** `text` is a scalar as written, so that version `1.0` stays `1.0`; `value` is the parsed YAML value. */
type SkillField = { line: number; value: unknown; text?: string }

type SkillFrontMatter = { fields: Map<string, SkillField>; problems: { line: number; message: string }[] }

const aliasLimit = 100

/** Reads the YAML between the `---` lines, whose first line is the file's second. Never throws. */
function readSkillFrontMatter(lines: readonly string[]): SkillFrontMatter {
  try {
    return readYaml(lines)
  } catch (error) {
    // The library throws on aliases and nesting beyond its limits; a reader of other people's files reports them.
    return { fields: readLoosely(lines), problems: [{ line: 2, message: String(error) }] }
  }
}

function readYaml(lines: readonly string[]): SkillFrontMatter {
  const counter = new LineCounter()
  const document = parseDocument(lines.join("\n"), { lineCounter: counter, prettyErrors: false, logLevel: "error" })
  const lineAt = (offset: number) => counter.linePos(offset).line + 1
  const problems = document.errors.map(({ pos, message }) => ({ line: lineAt(pos[0]), message }))
  if (problems.length > 0) return { fields: readLoosely(lines), problems }
  const fields = new Map<string, SkillField>()
  if (document.contents === null) return { fields, problems }
  if (!isMap(document.contents)) {
    return {
      fields,
      problems: [{ line: 2, message: "Front matter must be a list of fields, each written as name: value" }],
    }
  }
  const values: Record<string, unknown> = document.toJS({ maxAliasCount: aliasLimit })
  for (const { key, value } of document.contents.items) {
    if (!isScalar(key)) continue
    const name = String(key.value)
    fields.set(name, { line: lineAt(key.range?.[0] ?? 0), ...readValue(value, values[name]) })
  }
  return { fields, problems }
}

function readValue(node: ParsedNode | null, value: unknown): Omit<SkillField, "line"> {
  if (isScalar(node) && node.value !== null) return { value, text: (node.source ?? String(node.value)).trim() }
  return typeof value === "string" ? { value, text: value.trim() } : { value }
}

/** What can be recovered from broken YAML: many skills say `description: Use when: …` without quotes. */
function readLoosely(lines: readonly string[]): Map<string, SkillField> {
  const fields = new Map<string, SkillField>()
  lines.forEach((line, index) => {
    const [, name, rest = ""] = /^([A-Za-z][\w-]*):[ \t]+(.*)$/.exec(line) ?? []
    if (name === undefined || fields.has(name)) return
    const text = rest
      .trim()
      .replace(/^(["'])(.*)\1$/, "$2")
      .trim()
    fields.set(name, { line: index + 2, value: text, text })
  })
  return fields
}
