import { dominantLineEnd } from "../source-text.ts"
import { applyYamlEdit, isSameValue, readItemSource, valueAt } from "./apply-yaml-edit.ts"
import { editSections } from "./edit-sections.ts"
import { cutItem, editYamlNode } from "./edit-yaml-node.ts"
import { isMap } from "./is-map.ts"
import { parseYaml } from "./parse-yaml.ts"
import { readChunks } from "./read-chunks.ts"
import { cutMark, readYaml } from "./read-yaml.ts"
import { startOfComments } from "./splice-yaml.ts"
import { writeFlow, writeItem } from "./write-yaml-value.ts"
import type { YamlDocument, YamlEdit, YamlPath } from "./yaml-document.ts"
import { ownsBlankLines } from "./yaml-lines.ts"

/** The text of a file after edits: everything they do not name keeps its bytes. Read again, it holds exactly what was asked for. */
export function editYaml(document: YamlDocument, edits: readonly YamlEdit[]): string {
  const expected = edits.reduce(applyYamlEdit, document.value)
  const edited = editText(document.text, document.value, edits)
  if (edited !== undefined && holds(edited, expected)) return edited
  // An anchor may have gone while an alias still needs it.
  const unaliased = editText(writeOutAliases(document.text), document.value, edits)
  if (unaliased !== undefined && holds(unaliased, expected)) return unaliased
  throw new Error(`These edits would not leave the file as intended: ${edits.map(describe).join(", ")}.`)
}

function describe({ op, path }: YamlEdit): string {
  return `${op} ${path.join(".")}`
}

function holds(text: string, expected: unknown): boolean {
  const reading = readYaml(text)
  return reading.kind === "read" && isSameValue(reading.document.value, expected)
}

/** Undefined when one of the edits leaves a text that the next cannot be made in. */
function editText(text: string, value: Record<string, unknown>, edits: readonly YamlEdit[]): string | undefined {
  const lineEnd = dominantLineEnd(text)
  const narrowed = narrowEdits(value, edits)
  const chunked = readChunks(text)
  if (chunked) return editSections(chunked, narrowed, lineEnd)
  const { mark, content } = cutMark(text)
  let edited = content
  for (const edit of narrowed) {
    if (parseYaml(edited).kind === "broken") return undefined
    edited = editYamlNode(edited, edit, lineEnd)
  }
  return mark + edited
}

/** Leaves out what changes nothing, and sets of two maps only the keys that differ. */
function narrowEdits(value: Record<string, unknown>, edits: readonly YamlEdit[]): YamlEdit[] {
  let current = value
  return edits.flatMap((edit) => {
    const narrowed = edit.op === "set" ? narrowSet(valueAt(current, edit.path), edit) : [edit]
    current = applyYamlEdit(current, edit)
    return narrowed.map(withoutOpenEnd)
  })
}

function narrowSet(old: unknown, edit: Extract<YamlEdit, { op: "set" }>): YamlEdit[] {
  const { path, value } = edit
  if (isSameValue(old, value)) return []
  if (value === undefined && typeof path.at(-1) === "number") return [{ op: "remove", path }]
  if (!isMap(old) || !isMap(value) || Object.keys(value).length === 0 || Object.keys(old).length === 0) return [edit]
  const keys = new Set([...Object.keys(value), ...Object.keys(old)])
  // New keys before old ones go, so that the map is never empty in between.
  return [...keys].flatMap((key) =>
    narrowSet(valueAt(old, [key]), { op: "set", path: [...path, key], value: valueAt(value, [key]) }),
  )
}

/** A source that may end in a block scalar with `+` would take in blank lines that follow: its value is written instead. */
function withoutOpenEnd(edit: YamlEdit): YamlEdit {
  if (edit.op !== "appendSource" || !ownsBlankLines(edit.source)) return edit
  return { op: "append", path: edit.path, value: readItemSource(edit.source) }
}

function writeOutAliases(text: string): string {
  const { mark, content } = cutMark(text)
  const parsed = parseYaml(content)
  if (parsed.kind === "broken") return text
  const written = parsed.aliases.reduceRight((edited, { start, end, value }) => {
    return edited.slice(0, start) + writeFlow(value) + edited.slice(end)
  }, content)
  return mark + written
}

/** The lines of a list item with the comments directly before it, as `appendSource` takes them. */
export function sourceOf(document: YamlDocument, path: YamlPath): string {
  const source =
    cutChunk(document.text, path) ??
    cutItem(cutMark(document.text).content, path) ??
    writeItem(valueAt(document.value, path), 0, true).join("\n")
  return source.endsWith("\n") ? source : `${source}\n`
}

/** The source of an item that is a chunk of its own, which needs no parsing. */
function cutChunk(text: string, [key, index, ...rest]: YamlPath): string | undefined {
  const section = readChunks(text)?.sections.find((found) => found.key === key)
  const item = typeof index === "number" && rest.length === 0 ? section?.items?.[index] : undefined
  return (
    item && item.before.slice(startOfComments(item.before, item.before.length, Number.POSITIVE_INFINITY)) + item.text
  )
}
