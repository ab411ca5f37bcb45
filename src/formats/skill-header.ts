import { type FrontMatter, readFrontMatter, type SkillField } from "./skill-front-matter.ts"
import { isBlank } from "./source-text.ts"

/** What stands above a skill's text, by how it is written; `bodyStart` is the index of the first line below it. */
export type SkillHeader = FrontMatter & { form: "front-matter" | "labels" | "unclosed" | "none"; bodyStart: number }

/** Reads YAML between `---` lines, or Squad's own form: `# name` with `**Confidence:**` and `**Updated:**` below it. */
export function readSkillHeader(lines: readonly string[]): SkillHeader {
  if (!isFrontMatterLine(lines[0])) return readLabels(lines)
  const close = lines.findIndex((line, index) => index > 0 && isFrontMatterLine(line))
  if (close === -1) return { form: "unclosed", fields: new Map(), problems: [], bodyStart: 0 }
  return { form: "front-matter", ...readFrontMatter(lines.slice(1, close)), bodyStart: close + 1 }
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
