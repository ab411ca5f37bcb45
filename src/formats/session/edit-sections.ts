import { applyYamlEdit } from "./apply-yaml-edit.ts"
import { type Chunk, type CutText, cutSections, joinSection, joinSections, type Section } from "./cut-sections.ts"
import { type AppendEdit, editYamlNode, isAppend, itemLines } from "./edit-yaml-node.ts"
import { isMap } from "./is-map.ts"
import { startOfComments, writeApart } from "./splice-yaml.ts"
import { writePair } from "./write-yaml-value.ts"
import type { YamlEdit } from "./yaml-document.ts"
import { afterBlankLines, afterDeepLines, countSpaces, lineKind, lineStart, ownsBlankLines } from "./yaml-lines.ts"

/** Makes edits in a text that is cut into chunks; only a chunk that changes inside is parsed. */
export function editSections({ sections, after }: CutText, edits: readonly YamlEdit[], lineEnd: string): string {
  const draft: CutText = { sections: sections.map(copySection), after }
  for (const edit of edits) editSection(draft, edit, lineEnd)
  return draft.sections.length > 0 ? joinSections(draft) : `${closed(draft.after, lineEnd)}{}${lineEnd}`
}

function copySection(section: Section): Section {
  return section.items ? { ...section, items: section.items.map((item) => ({ ...item })) } : { ...section }
}

function editSection(draft: CutText, edit: YamlEdit, lineEnd: string): void {
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
function toSection({ key, before }: { key: string; before: string }, text: string): Section {
  const cut = cutSections(text)
  const [section] = cut?.sections ?? []
  return cut && section && joinSection(section) === text ? { ...section, key, before } : { key, before, text }
}

function addSection(draft: CutText, edit: YamlEdit, lineEnd: string): void {
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
function takeDeepLines(draft: CutText, at: number): string {
  const below = draft.sections[at + 1]
  const lines = below ? below.before : draft.after
  const end = afterDeepLines(lines, 0, 0)
  if (below) below.before = lines.slice(end)
  else draft.after = lines.slice(end)
  return lines.slice(0, end)
}

function dropSection(draft: CutText, at: number): void {
  takeDeepLines(draft, at)
  const [section] = draft.sections.splice(at, 1) as [Section]
  const above = draft.sections[at - 1]
  giveDown(draft, draft.sections[at], section.before, above ? joinSection(above) : "")
}

function addItem(items: Chunk[], edit: AppendEdit, lineEnd: string): void {
  const last = items.at(-1) as Chunk
  last.text = closed(last.text, lineEnd)
  const lines = itemLines(edit, countSpaces(last.text, 0)).map((line) => line + lineEnd)
  const first = lines.findIndex((line) => lineKind(line, 0).kind === "content")
  const isSpaced = items.length > 1 ? isBlankLine(last.before, 0) : edit.op === "appendSource" || isMap(edit.value)
  const space = isSpaced && !ownsBlankLines(last.text) ? lineEnd : ""
  items.push({ before: space + lines.slice(0, first).join(""), text: lines.slice(first).join("") })
}

/** Takes an item out with the comments directly before it; what stands further up stays. */
function dropItem(draft: CutText, at: number, index: number, lineEnd: string): void {
  const section = draft.sections[at] as Section
  const items = section.items ?? []
  const [{ before }] = items.splice(index, 1) as [Chunk]
  const kept = before.slice(0, startOfComments(before, before.length, Number.POSITIVE_INFINITY))
  const next = items[index]
  if (index === 0 && next) next.before = next.before.slice(afterBlankLines(next.before, 0))
  giveDown(draft, next ?? draft.sections[at + 1], kept, items[index - 1]?.text ?? section.text)
  if (items.length > 0) return
  const emptied = editYamlNode(section.text, { op: "set", path: [section.key], value: [] }, lineEnd)
  draft.sections[at] = toSection(section, emptied)
}

/** Hands what stood before a chunk that is gone to the one below; blank lines neither pile up nor come below text that owns them. */
function giveDown(draft: CutText, below: Chunk | undefined, before: string, above: string): void {
  const own = below ? below.before : draft.after
  const isSpaced = before === "" ? ownsBlankLines(above) : isBlankLine(before, lineStart(before, before.length - 1))
  const joined = before + (isSpaced ? own.slice(afterBlankLines(own, 0)) : own)
  if (below) below.before = joined
  else draft.after = joined
}

function isBlankLine(text: string, start: number): boolean {
  return text !== "" && lineKind(text, start).kind === "blank"
}
