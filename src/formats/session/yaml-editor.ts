import { isRecord } from "../objects.ts"
import { dominantLineEnd } from "../source-text.ts"
import {
  type AppendEdit,
  applyYamlEdit,
  cutItem,
  editYamlNode,
  isAppend,
  isSameValue,
  itemLines,
  readItemSource,
  startOfComments,
  valueAt,
  writeApart,
} from "./yaml-nodes.ts"
import { cutMark, readChunks, readYaml } from "./yaml-reader.ts"
import {
  afterBlankLines,
  afterDeepLines,
  countSpaces,
  cutSections,
  joinSection,
  joinSections,
  lineKind,
  lineStart,
  ownsBlankLines,
  type SectionedYaml,
  type YamlChunk,
  type YamlSection,
} from "./yaml-sections.ts"
import { parseYaml, type YamlDocument, type YamlEdit, type YamlPath } from "./yaml-tree.ts"
import { writeFlow, writeItem, writePair } from "./yaml-writer.ts"

/** The text of a file after edits: everything they do not name keeps its bytes. Parsing it gives exactly the requested value. */
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
  if (!isRecord(old) || !isRecord(value) || Object.keys(value).length === 0 || Object.keys(old).length === 0)
    return [edit]
  const keys = new Set([...Object.keys(value), ...Object.keys(old)])
  // New keys before old ones go, so that the map is never empty in between.
  return [...keys].flatMap((key) =>
    narrowSet(valueAt(old, [key]), { op: "set", path: [...path, key], value: valueAt(value, [key]) }),
  )
}

/** A source that may end in a block scalar with `+` would absorb blank lines that follow: its value is written instead. */
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

/** The source of an item that is a chunk by itself, which needs no parsing. */
function cutChunk(text: string, [key, index, ...rest]: YamlPath): string | undefined {
  const section = readChunks(text)?.sections.find((found) => found.key === key)
  const item = typeof index === "number" && rest.length === 0 ? section?.items?.[index] : undefined
  return (
    item && item.before.slice(startOfComments(item.before, item.before.length, Number.POSITIVE_INFINITY)) + item.text
  )
}

/** Makes edits in a text that is cut into chunks; only a chunk that changes inside is parsed. */
function editSections({ sections, after }: SectionedYaml, edits: readonly YamlEdit[], lineEnd: string): string {
  const draft: SectionedYaml = { sections: sections.map(copySection), after }
  for (const edit of edits) editSection(draft, edit, lineEnd)
  return draft.sections.length > 0 ? joinSections(draft) : `${closed(draft.after, lineEnd)}{}${lineEnd}`
}

function copySection(section: YamlSection): YamlSection {
  return section.items ? { ...section, items: section.items.map((item) => ({ ...item })) } : { ...section }
}

function editSection(draft: SectionedYaml, edit: YamlEdit, lineEnd: string): void {
  const [key, index, ...rest] = edit.path
  const at = draft.sections.findIndex((section) => section.key === key)
  const section = draft.sections[at]
  const item = typeof index === "number" ? section?.items?.[index] : undefined
  if (!section) addSection(draft, edit, lineEnd)
  else if (item && edit.op === "remove" && rest.length === 0) dropItem(draft, at, Number(index), lineEnd)
  else if (item) item.text = editYamlNode(item.text, { ...edit, path: [0, ...rest] }, lineEnd)
  else if (index === undefined && edit.op === "set" && edit.value === undefined) dropSection(draft, at)
  else if (index === undefined && section.items && isAppend(edit)) addItem(section.items, edit, lineEnd)
  else {
    const text = joinSection(section) + takeDeepLines(draft, at)
    draft.sections[at] = toSection(section, editYamlNode(text, edit, lineEnd))
  }
}

/** The section with another text, cut into items where it has become a list. */
function toSection({ key, before }: { key: string; before: string }, text: string): YamlSection {
  const cut = cutSections(text)
  const [section] = cut?.sections ?? []
  return cut && section && joinSection(section) === text ? { ...section, key, before } : { key, before, text }
}

function addSection(draft: SectionedYaml, edit: YamlEdit, lineEnd: string): void {
  const key = String(edit.path[0])
  const path = edit.path.slice(1)
  const isSource = edit.op === "appendSource"
  const value = applyYamlEdit<unknown>(undefined, isSource ? { op: "set", path, value: [] } : { ...edit, path })
  if (value === undefined) return
  const written = writeApart((quoted) => writePair(key, value, 0, quoted))
  const plain = written.map((line) => line + lineEnd).join("")
  const text = isSource ? editYamlNode(plain, edit, lineEnd) : plain
  const above = joinSections(draft)
  const line = closed(above, lineEnd).slice(above.length)
  const isSpaced = (written.length > 1 || isSource) && !ownsBlankLines(above) && !above.endsWith(lineEnd + lineEnd)
  draft.sections.push(toSection({ key, before: draft.after + line + (isSpaced ? lineEnd : "") }, text))
  draft.after = ""
}

/** With a line end, so that something can follow. */
function closed(text: string, lineEnd: string): string {
  return text === "" || text.endsWith("\n") ? text : text + lineEnd
}

/** The comments below a section that are indented, so that they belong to it: below other text they could become part of that. */
function takeDeepLines(draft: SectionedYaml, at: number): string {
  const below = draft.sections[at + 1]
  const lines = below ? below.before : draft.after
  const end = afterDeepLines(lines, 0, 0)
  if (below) below.before = lines.slice(end)
  else draft.after = lines.slice(end)
  return lines.slice(0, end)
}

function dropSection(draft: SectionedYaml, at: number): void {
  takeDeepLines(draft, at)
  const [section] = draft.sections.splice(at, 1) as [YamlSection]
  const above = draft.sections[at - 1]
  giveDown(draft, draft.sections[at], section.before, above ? joinSection(above) : "")
}

function addItem(items: YamlChunk[], edit: AppendEdit, lineEnd: string): void {
  const last = items.at(-1) as YamlChunk
  last.text = closed(last.text, lineEnd)
  const lines = itemLines(edit, countSpaces(last.text, 0)).map((line) => line + lineEnd)
  const first = lines.findIndex((line) => lineKind(line, 0).kind === "content")
  const isSpaced = items.length > 1 ? isBlankLine(last.before, 0) : edit.op === "appendSource" || isRecord(edit.value)
  const space = isSpaced && !ownsBlankLines(last.text) ? lineEnd : ""
  items.push({ before: space + lines.slice(0, first).join(""), text: lines.slice(first).join("") })
}

/** Removes an item with the comments directly before it; anything further up stays. */
function dropItem(draft: SectionedYaml, at: number, index: number, lineEnd: string): void {
  const section = draft.sections[at] as YamlSection
  const items = section.items ?? []
  const [{ before }] = items.splice(index, 1) as [YamlChunk]
  const kept = before.slice(0, startOfComments(before, before.length, Number.POSITIVE_INFINITY))
  const next = items[index]
  if (index === 0 && next) next.before = next.before.slice(afterBlankLines(next.before, 0))
  giveDown(draft, next ?? draft.sections[at + 1], kept, items[index - 1]?.text ?? section.text)
  if (items.length > 0) return
  const emptied = editYamlNode(section.text, { op: "set", path: [section.key], value: [] }, lineEnd)
  draft.sections[at] = toSection(section, emptied)
}

/** Attaches the text before a removed chunk to the next one; blank lines neither accumulate nor end up below text that owns them. */
function giveDown(draft: SectionedYaml, below: YamlChunk | undefined, before: string, above: string): void {
  const own = below ? below.before : draft.after
  const isSpaced = before === "" ? ownsBlankLines(above) : isBlankLine(before, lineStart(before, before.length - 1))
  const joined = before + (isSpaced ? own.slice(afterBlankLines(own, 0)) : own)
  if (below) below.before = joined
  else draft.after = joined
}

function isBlankLine(text: string, start: number): boolean {
  return text !== "" && lineKind(text, start).kind === "blank"
}
