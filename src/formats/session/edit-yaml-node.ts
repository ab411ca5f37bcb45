import { applyYamlEdit, readItemSource } from "./apply-yaml-edit.ts"
import { findEntry, type YamlEntry, type YamlNode } from "./build-yaml-tree.ts"
import { moveToColumn } from "./move-to-column.ts"
import { parseYaml } from "./parse-yaml.ts"
import {
  endOfLines,
  insertLines,
  removeLines,
  replaceRoot,
  replaceValue,
  startOfComments,
  writeApart,
} from "./splice-yaml.ts"
import { writeBehindDash, writeBehindKey, writeFlow, writeItem, writePair } from "./write-yaml-value.ts"
import type { YamlEdit, YamlPath } from "./yaml-document.ts"
import { countSpaces, lineKind, lineStart, ownsBlankLines } from "./yaml-lines.ts"

/** Makes one edit in a text of any form, by its tree. What the edit does not name keeps its bytes. */
export function editYamlNode(text: string, edit: YamlEdit, lineEnd: string): string {
  const parsed = parseYaml(text)
  if (parsed.kind === "broken") throw new Error("Only a readable text can be edited.")
  const draft: Draft = { text, lineEnd, way: follow(parsed.root, edit.path) }
  // An edit changes the list that it adds to, else the list or map that holds its place.
  const depth = isAppend(edit) ? edit.path.length : edit.path.length - 1
  const rigid = draft.way.findIndex(({ node }, at) => at <= depth && isRigid(node))
  const isReachable = rigid === -1 || rigid === depth
  if (edit.op === "appendSource" && isReachable && isEmptied(draft.way[depth])) return fill(draft, edit)
  if (rigid !== -1) return editRigid(draft, rigid, depth, edit)
  if (edit.op === "remove") return removeItem(draft, edit)
  if (isAppend(edit)) return append(draft, edit)
  return edit.value === undefined ? removePair(draft, edit) : setValue(draft, edit)
}

export type AppendEdit = EditOf<"append" | "appendSource">

export function isAppend(edit: YamlEdit): edit is AppendEdit {
  return edit.op === "append" || edit.op === "appendSource"
}

type EditOf<Op> = Extract<YamlEdit, { op: Op }>
type Draft = { text: string; lineEnd: string; way: Step[] }
type Step = { node: YamlNode; entry?: YamlEntry }

/** The nodes along a path as far as they exist, the root first, each with what holds it. */
function follow(root: YamlNode, path: YamlPath): Step[] {
  const way: Step[] = [{ node: root }]
  let node = root
  for (const step of path) {
    const entry = findEntry(node, step)
    if (!entry) break
    node = entry.node
    way.push({ node, entry })
  }
  return way
}

/** Flow style, aliases and keys without a colon are not edited in place but written anew. */
function isRigid({ style, entries }: YamlNode): boolean {
  return (
    style === "flow" ||
    style === "alias" ||
    (style === "block map" && entries.some(({ behind }) => behind === undefined))
  )
}

/** Up to this length, a list or map in flow style stays one. */
const longestFlow = 100

function editRigid({ text, lineEnd, way }: Draft, rigid: number, depth: number, edit: YamlEdit): string {
  const valueAt = (at: number) => applyYamlEdit(way[at]?.node.value, { ...edit, path: edit.path.slice(at) })
  const inner = way.findLastIndex(({ node }, at) => at <= depth && node.style === "flow")
  const node = way[inner]?.node
  if (node && (inner > rigid || node.entries.length > 0)) {
    const flow = writeFlow(valueAt(inner))
    if (flow.length <= longestFlow) return text.slice(0, node.start) + flow + text.slice(node.end)
  }
  return replace({ text, lineEnd, way: way.slice(0, rigid + 1) }, valueAt(rigid))
}

/** Gives the last node of the way another value. */
function replace({ text, lineEnd, way }: Draft, value: unknown): string {
  const [holder, step] = way.slice(-2)
  if (!holder || !step?.entry) return replaceRoot(text, (step ?? (holder as Step)).node, value, lineEnd)
  const { column, style } = holder.node
  const write = style === "block list" ? writeBehindDash : writeBehindKey
  return replaceValue(text, step.entry, column, (quoted) => write(value, column, quoted), lineEnd)
}

function setValue(draft: Draft, { path, value }: EditOf<"set">): string {
  const { text, lineEnd, way } = draft
  const [key, ...rest] = path.slice(way.length - 1)
  if (key === undefined) return replace(draft, value)
  const missing = applyYamlEdit<unknown>(undefined, { op: "set", path: rest, value })
  const { node } = way.at(-1) as Step
  if (node.style !== "block map") return replace(draft, { [key]: missing })
  const lines = writeApart((quoted) => writePair(String(key), missing, node.column, quoted))
  return insertLines(text, endOfLines(text, node, node.column), lines, lineEnd)
}

function append(draft: Draft, edit: AppendEdit): string {
  const { text, lineEnd, way } = draft
  const { node } = way.at(-1) as Step
  if (way.length > edit.path.length && node.style === "block list") {
    const space = isSpaced(text, node) ? [""] : []
    const lines = [...space, ...itemLines(edit, node.column)]
    return insertLines(text, endOfLines(text, node, node.column), lines, lineEnd)
  }
  if (edit.op === "append") return setValue(draft, { op: "set", path: edit.path, value: [edit.value] })
  return editYamlNode(setValue(draft, { op: "set", path: edit.path, value: [] }), edit, lineEnd)
}

export function itemLines(edit: AppendEdit, column: number): string[] {
  if (edit.op === "appendSource") return moveToColumn(edit.source, column)
  return writeApart((quoted) => writeItem(edit.value, column, quoted))
}

/** Whether its items have blank lines between them, and another one would not become part of the last. */
function isSpaced(text: string, { entries, column }: YamlNode): boolean {
  const [one, last] = entries.slice(-2)
  if (!one || !last || ownsBlankLines(text.slice(last.start, last.node.end))) return false
  return lineKind(text, endOfLines(text, one.node, column)).kind === "blank"
}

function isEmptied(step: Step | undefined): boolean {
  const value = step?.node.value
  return step !== undefined && (value === null || (Array.isArray(value) && value.length === 0))
}

/** Puts the first item into a list that is empty or null. */
function fill({ text, lineEnd, way }: Draft, edit: EditOf<"appendSource">): string {
  const [holder, list] = way.slice(-2) as [Step, Step]
  const { column } = holder.node
  const write = (quoted: boolean) => {
    if (quoted) return writeBehindKey([readItemSource(edit.source)], column, quoted)
    return { inline: "", below: moveToColumn(edit.source, column + 2) }
  }
  return replaceValue(text, list.entry as YamlEntry, column, write, lineEnd)
}

function removeItem({ text, lineEnd, way }: Draft, edit: EditOf<"remove">): string {
  const [list, item] = way.slice(-2) as [Step, Step]
  const lines = linesOf(text, item.entry as YamlEntry, list.node.column)
  if (list.node.entries.length > 1 && lines) return removeLines(text, lines.start, lines.end)
  const value = applyYamlEdit(list.node.value, { ...edit, path: edit.path.slice(-1) })
  return replace({ text, lineEnd, way: way.slice(0, -1) }, value)
}

/** An item with the comments directly before it; `undefined` where its dash does not begin a line. */
function linesOf(text: string, { start, node }: YamlEntry, column: number): { start: number; end: number } | undefined {
  const line = lineStart(text, start)
  if (line + countSpaces(text, line) !== start) return undefined
  return { start: startOfComments(text, line, column), end: endOfLines(text, node, column) }
}

function removePair({ text, lineEnd, way }: Draft, { path }: EditOf<"set">): string {
  if (way.length <= path.length) return text
  const [map, member] = way.slice(-2) as [Step, Step]
  if (map.node.entries.length === 1) return replace({ text, lineEnd, way: way.slice(0, -1) }, {})
  const { start, node } = member.entry as YamlEntry
  const line = lineStart(text, start)
  if (line + countSpaces(text, line) === start) return removeLines(text, line, endOfLines(text, node, map.node.column))
  return text.slice(0, start).trimEnd() + text.slice(node.end) // the first key behind a dash, which stays
}

/** The lines of a list item with the comments directly before it; `undefined` where it does not stand on lines of its own. */
export function cutItem(text: string, path: YamlPath): string | undefined {
  const parsed = parseYaml(text)
  if (parsed.kind === "broken" || parsed.anchored) return undefined
  const way = follow(parsed.root, path)
  const [list, item] = way.slice(-2)
  if (way.length <= path.length || list?.node.style !== "block list" || !item?.entry) return undefined
  const lines = linesOf(text, item.entry, list.node.column)
  return lines && text.slice(lines.start, lines.end)
}
