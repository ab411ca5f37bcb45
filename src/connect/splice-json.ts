import type { Node } from "jsonc-parser"
import { renderJson } from "../formats/render-json.ts"
import { trimEndOf } from "../formats/source-text.ts"

/** The layout of a text: one step of indentation, and the line ending. */
export type Layout = { unit: string; lineEnd: string }

export function layoutOf(text: string, root: Node | undefined): Layout {
  const lineEnd = /\r?\n/.exec(text)?.[0] ?? "\n"
  const first = root?.children?.[0]
  const indent = first && /\n([ \t]+)$/.exec(text.slice(0, first.offset))?.[1]
  return { unit: indent ?? "  ", lineEnd }
}

/** A value rendered at this indentation, broken into lines for so many levels; undefined keeps it on one line. */
export function renderValue(value: unknown, { unit, lineEnd }: Layout, indent: string | undefined, open = 0): string {
  if (indent === undefined) return renderJson(value).replace(/\n\s*/g, " ")
  return renderJson(value, { unit, indent, open }).replaceAll("\n", lineEnd)
}

/** Appends a child to an object or a list, formatted like the children before it. */
export function insertChild(
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
export function cutChild(text: string, child: Node): string {
  const holder = child.parent
  if (!holder?.children) throw new Error("Only what stands in an object or a list can be cut out of it.")
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
