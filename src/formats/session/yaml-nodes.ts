import { isRecord } from "../objects.ts"
import { readValue } from "./yaml-reader.ts"
import {
  afterBlankLines,
  afterDeepLines,
  countSpaces,
  isLineEnd,
  lineAfter,
  lineKind,
  lineStart,
  ownsBlankLines,
} from "./yaml-sections.ts"
import { findEntry, parseYaml, type YamlEdit, type YamlEntry, type YamlNode, type YamlPath } from "./yaml-tree.ts"
import { type WrittenValue, writeBehindDash, writeBehindKey, writeFlow, writeItem, writePair } from "./yaml-writer.ts"

/** Makes one edit in a text of any form, by its tree. Everything the edit does not name keeps its bytes. */
export function editYamlNode(text: string, edit: YamlEdit, lineEnd: string): string {
  const parsed = parseYaml(text)
  if (parsed.kind === "broken") throw new Error("Only a readable text can be edited.")
  const draft: YamlDraft = { text, lineEnd, way: follow(parsed.root, edit.path) }
  // An edit changes the list that it adds to, otherwise the list or map that contains its target.
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
type YamlDraft = { text: string; lineEnd: string; way: Step[] }
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

/** Flow style, aliases and keys without a colon are not edited in place but rewritten. */
function isRigid({ style, entries }: YamlNode): boolean {
  return (
    style === "flow" ||
    style === "alias" ||
    (style === "block map" && entries.some(({ behind }) => behind === undefined))
  )
}

/** Up to this length, a list or map in flow style stays one. */
const longestFlow = 100

function editRigid({ text, lineEnd, way }: YamlDraft, rigid: number, depth: number, edit: YamlEdit): string {
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
function replace({ text, lineEnd, way }: YamlDraft, value: unknown): string {
  const [holder, step] = way.slice(-2)
  if (!holder || !step?.entry) return replaceRoot(text, (step ?? (holder as Step)).node, value, lineEnd)
  const { column, style } = holder.node
  const write = style === "block list" ? writeBehindDash : writeBehindKey
  return replaceValue(text, step.entry, column, (quoted) => write(value, column, quoted), lineEnd)
}

function setValue(draft: YamlDraft, { path, value }: EditOf<"set">): string {
  const { text, lineEnd, way } = draft
  const [key, ...rest] = path.slice(way.length - 1)
  if (key === undefined) return replace(draft, value)
  const missing = applyYamlEdit<unknown>(undefined, { op: "set", path: rest, value })
  const { node } = way.at(-1) as Step
  if (node.style !== "block map") return replace(draft, { [key]: missing })
  const lines = writeApart((quoted) => writePair(String(key), missing, node.column, quoted))
  return insertLines(text, endOfLines(text, node, node.column), lines, lineEnd)
}

function append(draft: YamlDraft, edit: AppendEdit): string {
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
function fill({ text, lineEnd, way }: YamlDraft, edit: EditOf<"appendSource">): string {
  const [holder, list] = way.slice(-2) as [Step, Step]
  const { column } = holder.node
  const write = (quoted: boolean) => {
    if (quoted) return writeBehindKey([readItemSource(edit.source)], column, quoted)
    return { inline: "", below: moveToColumn(edit.source, column + 2) }
  }
  return replaceValue(text, list.entry as YamlEntry, column, write, lineEnd)
}

function removeItem({ text, lineEnd, way }: YamlDraft, edit: EditOf<"remove">): string {
  const [list, item] = way.slice(-2) as [Step, Step]
  const lines = linesOf(text, item.entry as YamlEntry, list.node.column)
  if (list.node.entries.length > 1 && lines) return removeLines(text, lines.start, lines.end)
  const value = applyYamlEdit(list.node.value, { ...edit, path: edit.path.slice(-1) })
  return replace({ text, lineEnd, way: way.slice(0, -1) }, value)
}

/** An item with the comments directly before it; `undefined` if its dash does not begin a line. */
function linesOf(text: string, { start, node }: YamlEntry, column: number): { start: number; end: number } | undefined {
  const line = lineStart(text, start)
  if (line + countSpaces(text, line) !== start) return undefined
  return { start: startOfComments(text, line, column), end: endOfLines(text, node, column) }
}

function removePair({ text, lineEnd, way }: YamlDraft, { path }: EditOf<"set">): string {
  if (way.length <= path.length) return text
  const [map, member] = way.slice(-2) as [Step, Step]
  if (map.node.entries.length === 1) return replace({ text, lineEnd, way: way.slice(0, -1) }, {})
  const { start, node } = member.entry as YamlEntry
  const line = lineStart(text, start)
  if (line + countSpaces(text, line) === start) return removeLines(text, line, endOfLines(text, node, map.node.column))
  return text.slice(0, start).trimEnd() + text.slice(node.end) // the first key behind a dash, which stays
}

/** The lines of a list item with the comments directly before it; `undefined` if it shares a line with something else. */
export function cutItem(text: string, path: YamlPath): string | undefined {
  const parsed = parseYaml(text)
  if (parsed.kind === "broken" || parsed.anchored) return undefined
  const way = follow(parsed.root, path)
  const [list, item] = way.slice(-2)
  if (way.length <= path.length || list?.node.style !== "block list" || !item?.entry) return undefined
  const lines = linesOf(text, item.entry, list.node.column)
  return lines && text.slice(lines.start, lines.end)
}

/** The value of a file after an edit. Shares unchanged parts with the old value. */
export function applyYamlEdit<Value>(value: Value, edit: YamlEdit): Value {
  if (edit.op === "set" && edit.value === undefined && valueAt(value, edit.path) === undefined) return value
  return changeAt(value, edit.path, (old) => changed(old, edit)) as Value
}

/** The value of a list item in its own words. */
export function readItemSource(source: string): unknown {
  const list = readValue(source)?.value
  if (Array.isArray(list) && list.length === 1) return list[0]
  throw new Error("The source of a list item must be a list of one item.")
}

/** At a path of a value; `undefined` where there is nothing. */
export function valueAt(value: unknown, path: YamlPath): unknown {
  return path.reduce<unknown>(
    (part, step) => (isRecord(part) || Array.isArray(part) ? memberOf(part, step) : undefined),
    value,
  )
}

/** Maps are equal whatever the order of their keys; `undefined` is the same as no key. */
export function isSameValue(one: unknown, other: unknown): boolean {
  if (one === other || (Number.isNaN(one) && Number.isNaN(other))) return true
  if (Array.isArray(one)) {
    return Array.isArray(other) && one.length === other.length && one.every((item, at) => isSameValue(item, other[at]))
  }
  if (!isRecord(one) || !isRecord(other)) return false
  const keys = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...keys].every((key) => isSameValue(memberOf(one, key), memberOf(other, key)))
}

function changed(old: unknown, edit: YamlEdit): unknown {
  switch (edit.op) {
    case "set":
      return edit.value
    case "append":
      return [...listOf(old, edit.path), edit.value]
    case "appendSource":
      return [...listOf(old, edit.path), readItemSource(edit.source)]
    case "remove":
      if (typeof edit.path.at(-1) === "number") return undefined
      throw new Error(`Only a list item can be removed, not ${edit.path.join(".")}.`)
  }
}

function listOf(value: unknown, path: YamlPath): unknown[] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) return value
  throw new Error(`There is no list at ${path.join(".")}.`)
}

function changeAt(value: unknown, path: YamlPath, change: (old: unknown) => unknown): unknown {
  const [step, ...rest] = path
  if (step === undefined) return change(value)
  if (Array.isArray(value)) {
    if (typeof step !== "number" || step < 0 || step >= value.length) throw new Error(`The list has no item ${step}.`)
    const member = changeAt(value[step], rest, change)
    return member === undefined ? value.filter((_, at) => at !== step) : value.with(step, member)
  }
  if (typeof step !== "string" || !(isRecord(value) || value === null || value === undefined)) {
    throw new Error(`There is no map to put this key in: ${step}.`)
  }
  const members = new Map(Object.entries(value ?? {}))
  const member = changeAt(members.get(step), rest, change)
  if (member === undefined) members.delete(step)
  else members.set(step, member)
  return Object.fromEntries(members)
}

function memberOf(value: Record<string, unknown> | unknown[], step: string | number): unknown {
  return Object.hasOwn(value, step) ? (value as Record<string | number, unknown>)[step] : undefined
}

/**
 * Replaces the value after a key or dash. A comment on that line stays. `column` is that of the key or dash; `write` is called for another
 * form, without block scalars, if one would absorb what follows.
 */
function replaceValue(
  text: string,
  { node, behind = 0 }: YamlEntry,
  column: number,
  write: (quoted: boolean) => WrittenValue,
  lineEnd: string,
): string {
  const onHeadLine = node.start < lineAfter(text, behind)
  const inlineEnd = onHeadLine ? node.inlineEnd : behind
  const end = lineAfter(text, Math.max(node.end, inlineEnd))
  const first = write(afterDeepLines(text, end, column) > end)
  const written = first.below.at(-1) === "" ? write(true) : first
  const comment = text.slice(inlineEnd, contentEnd(text, inlineEnd)).trimEnd()
  const space = onHeadLine && node.start > behind ? text.slice(behind, node.start) : " "
  const head = text.slice(0, behind) + (written.inline === "" ? "" : space + written.inline) + comment
  const closed = text[end - 1] === "\n" || written.below.length > 0
  return [head, ...written.below].join(lineEnd) + (closed ? lineEnd : "") + text.slice(end)
}

/** Rewrites the whole text's single value. */
function replaceRoot(text: string, { start, end, entries }: YamlNode, value: unknown, lineEnd: string): string {
  const { inline, below } = writeBehindKey(value, -2)
  const lines = inline === "" ? below : [inline]
  const before = text.slice(0, Math.min(start, entries[0]?.start ?? start))
  const startsLine = before === "" || before.endsWith("\n")
  const after = isLineEnd(text, end) ? text.slice(lineAfter(text, end)) : text.slice(end).trimStart()
  return before + (startsLine ? "" : lineEnd) + lines.map((line) => line + lineEnd).join("") + after
}

/** Lines for a position where something else may follow: a block scalar that ends in blank lines would absorb more of them. */
export function writeApart(write: (quoted: boolean) => string[]): string[] {
  const lines = write(false)
  return lines.at(-1) === "" ? write(true) : lines
}

/** Behind the lines of a node and the comments below that are indented deeper than `column`, so that they belong to it. */
function endOfLines(text: string, node: YamlNode, column: number): number {
  return afterDeepLines(text, lineAfter(text, node.end), column)
}

function insertLines(text: string, at: number, lines: readonly string[], lineEnd: string): string {
  const before = text.slice(0, at)
  const closed = before === "" || before.endsWith("\n")
  return before + (closed ? "" : lineEnd) + lines.map((line) => line + lineEnd).join("") + text.slice(at)
}

/** Takes lines out, with the blank lines below where there are others above or a value above would take them in. */
function removeLines(text: string, from: number, to: number): string {
  const above = text.slice(0, from)
  const blankAbove = from > 0 && lineKind(text, lineStart(text, from - 1)).kind === "blank"
  return above + text.slice(blankAbove || ownsBlankLines(above) ? afterBlankLines(text, to) : to)
}

/** The start of the comments directly above a line that are not indented deeper than it. */
export function startOfComments(text: string, line: number, column: number): number {
  let start = line
  while (start > 0) {
    const above = lineStart(text, start - 1)
    const { kind, indent } = lineKind(text, above)
    if (kind !== "comment" || indent > column) break
    start = above
  }
  return start
}

function contentEnd(text: string, at: number): number {
  const lineFeed = text.indexOf("\n", at)
  return lineFeed === -1 ? text.length : lineFeed
}

/** The lines of a list item, including comments before it, shifted so that its dash is in another column. */
function moveToColumn(source: string, column: number): string[] {
  const lines = source.split("\n").map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line))
  if (lines.at(-1) === "") lines.pop()
  const item = lines.find((line) => lineKind(line, 0).kind === "content") ?? ""
  const shift = column - countSpaces(item, 0)
  if (shift >= 0) return lines.map((line) => (line === "" ? "" : " ".repeat(shift) + line))
  return lines.map((line) => line.slice(Math.min(-shift, countSpaces(line, 0))))
}
