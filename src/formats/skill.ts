import { stringify } from "yaml"
import type { Severity } from "./diagnostics.ts"
import type { SkillField } from "./skill-front-matter.ts"
import { readSkillHeader, type SkillHeader } from "./skill-header.ts"
import { splitLines, trimBlankLines } from "./source-text.ts"

export const skillConfidences = ["low", "medium", "high"] as const
export type SkillConfidence = (typeof skillConfidences)[number]

/** A tool the skill uses; most skills give only its name. */
export type SkillTool = { name: string; description?: string; when?: string }

/** What a team knows how to do: one `SKILL.md`. */
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
  /** Fields Drey has no use for, kept for those who have. */
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

/** Stands in for a description: the first line that is no heading, label, list, table, fence or comment. */
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
