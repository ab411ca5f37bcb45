import { isDeepStrictEqual } from "node:util"
import { getNodeValue, type Node, type ParseError, parseTree } from "jsonc-parser"
import type { JsonPart } from "../clients/wiring.ts"
import { DreyError } from "../errors.ts"
import { cutChild, insertChild, type Layout, layoutOf, renderValue } from "./splice-json.ts"

/** How a part that Drey needs stands in a text: `different` is what somebody else put in its place. */
export type Presence = "absent" | "same" | "different"

export function findJsonPart(text: string, part: JsonPart, name: string): Presence {
  const found = nodesOf(parseJsonc(text, name), part, name)
  if (found.length === 0) return "absent"
  if (part.kind === "default") return "same" // whatever it is set to, it is set
  return found.every((node) => isSame(getNodeValue(node), part.value)) ? "same" : "different"
}

/** What stands under the key of a part; undefined where nothing does. */
export function readJsonPart(text: string, part: JsonPart, name: string): unknown {
  const [node] = nodesOf(parseJsonc(text, name), part, name)
  return node && getNodeValue(node)
}

/** Puts a part in, or in the place of what stands there; every other byte stays. */
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
 * Takes a part out again, and what held only this part. `original` is the text before Drey came: what stood there stays, even if it is empty
 * now. Where nobody knows it any more, it is undefined: then empty holders go and defaults stay.
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
  return part.kind === "item" ? removeJsonPart(next, part, name, original) : next // there may be more of them
}

/** Whether nothing is left of a document but its brackets. */
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

/** The nodes that a part is about: the value under its key, or the items of its list that hold its mark. */
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

/** Of a key that is there twice the last counts, as for every reader of JSON. */
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

/** Somebody may have put an item of Drey's into a list with others: then only that goes. */
function narrowestWith(node: Node, mark: string): Node {
  const lists = [node, ...(node.children ?? []).flatMap(({ children }) => children ?? [])]
  const shared = lists.find(
    ({ type, children = [] }) => type === "array" && children.some((each) => !holds(each, mark)),
  )
  const own = shared?.children?.find((each) => holds(each, mark))
  return own ? narrowestWith(own, mark) : node
}

/** What stands in the list of its holder: for a value under a key, that is key and value. */
function childOf(node: Node): Node {
  return node.parent?.type === "property" ? node.parent : node
}

function nest(path: readonly string[], value: unknown): unknown {
  return path.reduceRight((inner, key) => ({ [key]: inner }), value)
}

/** A file without a value: empty, or comments alone. */
function addDocument(text: string, part: JsonPart, layout: Layout): string {
  const value = nest(part.path, part.kind === "item" ? [part.value] : part.value)
  const between = text === "" || text.endsWith("\n") || withoutMark(text) === "" ? "" : layout.lineEnd
  return `${text}${between}${renderValue(value, layout, "", part.path.length)}${layout.lineEnd}`
}

function parseJsonc(text: string, name: string): Node | undefined {
  const errors: ParseError[] = []
  const json = text.replace(/^\uFEFF/, " ") // one character for one: the places stay what they are
  const root = parseTreeOf(json, errors, name)
  if (root === undefined && errors.every(({ length }) => length === 0)) return undefined
  const [problem] = errors
  if (!problem && root) return root
  const before = text.slice(0, problem?.offset ?? 0).split("\n")
  throw new DreyError(`${name}:${before.length}:${(before.at(-1) ?? "").length + 1} is not JSON, so it is left alone`)
}

/** The parser calls itself for what stands within: brackets by the thousand are more than it can take. */
function parseTreeOf(json: string, errors: ParseError[], name: string): Node | undefined {
  try {
    return parseTree(json, errors, { allowTrailingComma: true, disallowComments: false })
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new DreyError(`${name} is nested too deep, so it is left alone`, { cause: error })
  }
}

/** Without regard to what a parser leaves on its objects. */
function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other)))
}

function wrongKind(path: readonly string[], kind: string, name: string): DreyError {
  return new DreyError(
    `${name}: ${path.length === 0 ? "the document" : `"${path.join(".")}"`} is not ${kind}, so it is left alone`,
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
