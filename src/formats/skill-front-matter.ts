import { isMap, isScalar, LineCounter, type ParsedNode, parseDocument } from "yaml"

/** `text` is a scalar as written, so that version `1.0` stays `1.0`; `value` is what YAML makes of it. */
export type SkillField = { line: number; value: unknown; text?: string }

export type FrontMatter = { fields: Map<string, SkillField>; problems: { line: number; message: string }[] }

const aliasLimit = 100

/** Reads the YAML between the `---` lines, whose first line is the file's second. Never throws. */
export function readFrontMatter(lines: readonly string[]): FrontMatter {
  try {
    return readYaml(lines)
  } catch (error) {
    // The library throws on aliases and nesting beyond its limits; a reader of other people's files reports them.
    return { fields: readLoosely(lines), problems: [{ line: 2, message: String(error) }] }
  }
}

function readYaml(lines: readonly string[]): FrontMatter {
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

/** What can be saved from broken YAML: many skills say `description: Use when: …` without quotes. */
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
