import { isDeepStrictEqual } from "node:util"
import { getNodeValue, type Node, type ParseError, parseTree } from "jsonc-parser"
import { DreyError } from "../../errors.ts"
import { renderJson } from "../../formats/managed-block.ts"
import { trimEndOf } from "../../formats/source-text.ts"
import type { JsonPart } from "../client-wiring.ts"

/** Whether a text contains a part; `different`: there is another value in its place. */
export type Presence = "absent" | "same" | "different"

export function findJsonPart(text: string, part: JsonPart, name: string): Presence {
  const found = nodesOf(parseJsonc(text, name), part, name)
  if (found.length === 0) return "absent"
  if (part.kind === "default") return "same" // any value will do
  return found.every((node) => isSame(getNodeValue(node), part.value)) ? "same" : "different"
}

/** The value under the key of a part; undefined if there is none. */
export function readJsonPart(text: string, part: JsonPart, name: string): unknown {
  const [node] = nodesOf(parseJsonc(text, name), part, name)
  return node && getNodeValue(node)
}

/** Adds a part or replaces its current value; every other byte is kept. */
export function addJsonPart(text: string, part: JsonPart, name: string): string {
  const root = parseJsonc(text, name)
  const layout = layoutOf(text, root)
  if (!root) return addDocument(text, part, layout)
  const [node] = nodesOf(root, part, name)
  if (node) {
    if (part.kind === "default") return text
    return (
      text.slice(0, node.offset) + renderValue(part.value, layout, lineIndent(text, node)) + text.slice(endOf(node))
    )
  }
  const { container, rest } = deepest(root, part.path, name)
  const [key, ...below] = rest
  if (key === undefined) {
    if (container.type !== "array") throw wrongKind(part.path, "a list", name)
    return insertChild(text, container, layout, (indent) => renderValue(part.value, layout, indent))
  }
  if (container.type !== "object") throw wrongKind(part.path.slice(0, -rest.length), "an object", name)
  const value = nest(below, part.kind === "item" ? [part.value] : part.value)
  return insertChild(
    text,
    container,
    layout,
    (indent) => `${JSON.stringify(key)}: ${renderValue(value, layout, indent, below.length)}`,
  )
}

/**
 * Removes a part, and containers that held only this part. `original` is the text before Drey's first change: its
 * containers are kept even if empty. Without it, empty containers are removed and defaults are kept.
 */
export function removeJsonPart(text: string, part: JsonPart, name: string, original: string | undefined): string {
  if (part.kind === "default") {
    if (original === undefined || findJsonPart(original, part, name) !== "absent") return text
    const [node] = nodesOf(parseJsonc(text, name), part, name)
    if (!node || !isSame(getNodeValue(node), part.value)) return text
  }
  const [node] = nodesOf(parseJsonc(text, name), part, name)
  if (!node) return text
  const cut = cutChild(text, childOf(part.kind === "item" ? narrowestWith(node, part.mark) : node))
  const above = part.kind === "item" ? part.path : part.path.slice(0, -1)
  const next = dropEmpty(cut, above, name, original)
  return part.kind === "item" ? removeJsonPart(next, part, name, original) : next // there may be several
}

/** Whether a document is empty except for its brackets. */
export function isEmptyJson(text: string, name: string): boolean {
  return parseJsonc(text, name) === undefined
    ? withoutMark(text).trim() === ""
    : /^\s*\{\s*\}\s*$/.test(withoutMark(text))
}

function dropEmpty(text: string, path: readonly string[], name: string, original: string | undefined): string {
  if (path.length === 0) return text
  const node = nodeAt(parseJsonc(text, name), path)
  const isEmpty = node !== undefined && /^[{[]\s*[}\]]$/.test(text.slice(node.offset, endOf(node)))
  const wasThere = original !== undefined && nodeAt(parseJsonc(original, name), path) !== undefined
  if (!node || !isEmpty || wasThere) return text
  return dropEmpty(cutChild(text, childOf(node)), path.slice(0, -1), name, original)
}

/** The nodes of a part: the value under its key, or the items of its list that contain its mark. */
function nodesOf(root: Node | undefined, part: JsonPart, name: string): Node[] {
  const node = nodeAt(root, part.path)
  if (!node) return []
  if (part.kind !== "item") return [node]
  if (node.type !== "array") throw wrongKind(part.path, "a list", name)
  return (node.children ?? []).filter((item) => holds(item, part.mark))
}

function nodeAt(root: Node | undefined, path: readonly string[]): Node | undefined {
  let node = root
  for (const key of path) node = node && valueUnder(node, key)
  return node
}

/** The last of duplicate keys counts, as in every JSON parser. */
function valueUnder(node: Node, key: string): Node | undefined {
  if (node.type !== "object") return undefined
  return node.children?.findLast(({ children }) => children?.[0]?.value === key)?.children?.[1]
}

function deepest(root: Node, path: readonly string[], name: string): { container: Node; rest: string[] } {
  let container = root
  for (const [depth, key] of path.entries()) {
    if (container.type !== "object") throw wrongKind(path.slice(0, depth), "an object", name)
    const next = valueUnder(container, key)
    if (!next) return { container, rest: path.slice(depth) }
    container = next
  }
  return { container, rest: [] }
}

function holds(node: Node, mark: string): boolean {
  if (node.type === "string") return String(node.value).includes(mark)
  return (node.children ?? []).some((child) => holds(child, mark))
}

/** The user may have added one of Drey's items to a group with others: then only that item is removed. */
function narrowestWith(node: Node, mark: string): Node {
  const lists = [node, ...(node.children ?? []).flatMap(({ children }) => children ?? [])]
  const shared = lists.find(
    ({ type, children = [] }) => type === "array" && children.some((each) => !holds(each, mark)),
  )
  const own = shared?.children?.find((each) => holds(each, mark))
  return own ? narrowestWith(own, mark) : node
}

/** A node as a child of its container: for a value under a key, the property. */
function childOf(node: Node): Node {
  return node.parent?.type === "property" ? node.parent : node
}

function nest(path: readonly string[], value: unknown): unknown {
  return path.reduceRight((inner, key) => ({ [key]: inner }), value)
}

/** A file without a value: empty, or only comments. */
function addDocument(text: string, part: JsonPart, layout: Layout): string {
  const value = nest(part.path, part.kind === "item" ? [part.value] : part.value)
  const between = text === "" || text.endsWith("\n") || withoutMark(text) === "" ? "" : layout.lineEnd
  return `${text}${between}${renderValue(value, layout, "", part.path.length)}${layout.lineEnd}`
}

function parseJsonc(text: string, name: string): Node | undefined {
  const errors: ParseError[] = []
  const json = text.replace(/^\uFEFF/, " ") // one character for another: offsets do not change
  const root = parseTreeOf(json, errors, name)
  if (root === undefined && errors.every(({ length }) => length === 0)) return undefined
  const [problem] = errors
  if (!problem && root) return root
  const before = text.slice(0, problem?.offset ?? 0).split("\n")
  throw new DreyError(
    `${name}:${before.length}:${(before.at(-1) ?? "").length + 1} is not valid JSON, so the file is not changed`,
  )
}

/** The parser is recursive: thousands of nested brackets overflow its stack. */
function parseTreeOf(json: string, errors: ParseError[], name: string): Node | undefined {
  try {
    return parseTree(json, errors, { allowTrailingComma: true, disallowComments: false })
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new DreyError(`${name} is nested too deeply, so the file is not changed`, { cause: error })
  }
}

/** Ignores the prototypes that a parser leaves on its objects. */
function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other)))
}

function wrongKind(path: readonly string[], kind: string, name: string): DreyError {
  return new DreyError(
    `${name}: ${path.length === 0 ? "the document" : `"${path.join(".")}"`} is not ${kind}, so the file is not changed`,
  )
}

function lineIndent(text: string, node: Node): string {
  const line = text.slice(text.lastIndexOf("\n", node.offset) + 1)
  return /^[ \t]*/.exec(line)?.[0] ?? ""
}

function endOf(node: Node): number {
  return node.offset + node.length
}

function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, "")
}

/** The layout of a text: one step of indentation, and the line ending. */
type Layout = { unit: string; lineEnd: string }

function layoutOf(text: string, root: Node | undefined): Layout {
  const lineEnd = /\r?\n/.exec(text)?.[0] ?? "\n"
  const first = root?.children?.[0]
  const indent = first && /\n([ \t]+)$/.exec(text.slice(0, first.offset))?.[1]
  return { unit: indent ?? "  ", lineEnd }
}

/** A value rendered at this indentation, broken into lines for so many levels; undefined keeps it on one line. */
function renderValue(value: unknown, { unit, lineEnd }: Layout, indent: string | undefined, open = 0): string {
  if (indent === undefined) return renderJson(value).replace(/\n\s*/g, " ")
  return renderJson(value, { unit, indent, open }).replaceAll("\n", lineEnd)
}

/** Appends a child to an object or a list, formatted like the children before it. */
function insertChild(
  text: string,
  holder: Node,
  layout: Layout,
  render: (indent: string | undefined) => string,
): string {
  const last = holder.children?.at(-1)
  return last ? insertAfter(text, holder, last, layout, render) : insertFirst(text, holder, layout, render)
}

function insertFirst(
  text: string,
  holder: Node,
  { unit, lineEnd }: Layout,
  render: (indent: string) => string,
): string {
  const start = holder.offset + 1
  const end = holder.offset + holder.length - 1
  const inner = text.slice(start, end)
  const indent = indentOf(text, holder.offset)
  const child = `${lineEnd}${indent}${unit}${render(`${indent}${unit}`)}`
  const comments = inner.trimEnd()
  const rest = inner.slice(comments.length)
  const closing = comments !== "" && rest.includes("\n") ? rest : `${lineEnd}${indent}`
  return text.slice(0, start) + comments + child + closing + text.slice(end)
}

function insertAfter(
  text: string,
  holder: Node,
  last: Node,
  { unit, lineEnd }: Layout,
  render: (indent: string | undefined) => string,
): string {
  const lastEnd = last.offset + last.length
  const first = holder.children?.[0] ?? last
  const comma = commaAfter(text, lastEnd)
  const settled = comma ?? lastEnd
  if (!text.slice(holder.offset, first.offset).includes("\n")) {
    const child = `${comma === undefined ? "," : ""} ${render(undefined)}${comma === undefined ? "" : ","}`
    return text.slice(0, settled) + child + text.slice(settled)
  }
  const own = /\n([ \t]*)$/.exec(text.slice(0, last.offset))?.[1]
  const indent = own ?? `${indentOf(text, holder.offset)}${unit}`
  const at = settled + sameLineComments(text.slice(settled))
  const child = `${lineEnd}${indent}${render(indent)}${comma === undefined ? "" : ","}`
  return text.slice(0, lastEnd) + (comma === undefined ? "," : "") + text.slice(lastEnd, at) + child + text.slice(at)
}

/** Removes a child from its object or list, with its comma and its line. */
function cutChild(text: string, child: Node): string {
  const holder = child.parent
  if (!holder?.children) throw new Error("Only a value in an object or a list can be removed.")
  const at = holder.children.indexOf(child)
  const previous = holder.children[at - 1]
  const comma = commaAfter(text, child.offset + child.length)
  const end = comma ?? child.offset + child.length
  const tail = text.slice(end, text.length)
  const lead = /\r?\n[ \t]*$/.exec(text.slice(0, child.offset))?.[0]
  const isLastWithout = comma === undefined && previous !== undefined
  // The child before it is then the last, and must not keep its comma.
  const commaBefore = isLastWithout ? commaAfter(text, previous.offset + previous.length) : undefined
  const head =
    commaBefore === undefined
      ? text.slice(0, child.offset)
      : text.slice(0, commaBefore - 1) + text.slice(commaBefore, child.offset)
  if (lead !== undefined && /^[ \t]*(?:\r?\n|[}\]]|$)/.test(tail)) return tidyEmpty(head.slice(0, -lead.length), tail)
  if (previous) return trimEndOf(head, /[ \t]/) + tail
  return tidyEmpty(head, tail.replace(/^[ \t]+/, ""))
}

/** A container that was opened for this child alone is closed again, as when empty. */
function tidyEmpty(head: string, tail: string): string {
  const isEmpty = /[{[][ \t]*$/.test(head) && /^\s*[}\]]/.test(tail)
  return isEmpty ? head.trimEnd() + tail.trimStart() : head + tail
}

/** Where the next comma ends, skipping comments; undefined if something else comes first. */
function commaAfter(text: string, from: number): number | undefined {
  const match = /^(?:\s|\/\/[^\n]*\n|\/\*(?:[^*]|\*(?!\/))*\*\/)*,/.exec(text.slice(from))
  return match ? from + match[0].length : undefined
}

/** The end of the comments on the same line. */
function sameLineComments(rest: string): number {
  return /^(?:[ \t]*\/\*(?:[^*\n]|\*(?!\/))*\*\/)*(?:[ \t]*\/\/[^\r\n]*)?/.exec(rest)?.[0].length ?? 0
}

function indentOf(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", offset - 1) + 1))?.[0] ?? ""
}
