/** The part of another owner's file that Drey maintains: between these two lines. */
export const blockBegin = "<!-- drey:begin -->"
export const blockEnd = "<!-- drey:end -->"

/** The text between the markers; undefined if the file has no such block. */
export function readManagedBlock(text: string): string | undefined {
  const span = spanOf(text)
  if (!span) return undefined
  const lines = text.slice(span.start, span.end).split(/\r?\n/)
  return lines.slice(1, -1).join("\n")
}

/** The text with this block: in its place if it has one, otherwise at the end. */
export function writeManagedBlock(text: string, content: string): string {
  const lineEnd = /\r?\n/.exec(text)?.[0] ?? "\n"
  const block = [blockBegin, ...content.split("\n"), blockEnd].join(lineEnd)
  const span = spanOf(text)
  if (span) return text.slice(0, span.start) + block + text.slice(span.end)
  if (text.trim() === "") return `${text}${/[^\n\uFEFF]$/.test(text) ? lineEnd : ""}${block}${lineEnd}`
  // A file without a final line end stays that way, so that removing the block restores the original.
  return text.endsWith("\n") ? `${text}${lineEnd}${block}${lineEnd}` : `${text}${lineEnd}${lineEnd}${block}`
}

/** The text without its block and without the empty line that came with it. */
export function removeManagedBlock(text: string): string {
  const span = spanOf(text)
  if (!span) return text
  const head = text.slice(0, span.start)
  const tail = text.slice(span.end)
  if (tail === "") {
    const lineEnd = /\r?\n/.exec(text.slice(span.start))?.[0] ?? "\n"
    return head.endsWith(lineEnd + lineEnd) ? head.slice(0, -2 * lineEnd.length) : head
  }
  return head.replace(/(\n)\r?\n$/, "$1") + tail.replace(/^\r?\n/, "")
}

/**
 * A marker counts only on a line by itself; without an end marker there is no block. A begin marker without an end is plain text,
 * otherwise everything after it, up to the end of a later block, would be treated as Drey's.
 */
function spanOf(text: string): { start: number; end: number } | undefined {
  let begin: number | undefined
  for (const match of text.matchAll(mark)) {
    const at = match.index + (match[1] ?? "").length
    if (match[2] === blockBegin) begin = at
    else if (begin !== undefined) return { start: begin, end: at + blockEnd.length }
  }
  return undefined
}

const mark = new RegExp(`^(\uFEFF*)(?:(${blockBegin})[ \\t]*$|${blockEnd})`, "gm")

const width = 120

export type JsonLayout = {
  /** One step of indentation. */
  unit?: string
  /** The indentation of the line that it will be on. */
  indent?: string
  /** So many levels are broken up even if they would fit on a line. */
  open?: number
}

/** JSON in a hand-written layout: what fits on a line stays on one, the rest is broken up. */
export function renderJson(value: unknown, { unit = "  ", indent = "", open: levels = 0 }: JsonLayout = {}): string {
  const line = onOneLine(value)
  if (typeof value !== "object" || value === null || (levels <= 0 && indent.length + line.length <= width)) return line
  const inner = `${indent}${unit}`
  const layout = { unit, indent: inner, open: levels - 1 }
  const items = Array.isArray(value)
    ? value.map((item) => renderJson(item, layout))
    : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${renderJson(item, layout)}`)
  const [open, close] = Array.isArray(value) ? "[]" : "{}"
  return `${open}\n${items.map((item) => `${inner}${item}`).join(",\n")}\n${indent}${close}`
}

function onOneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(", ")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const pairs = Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}: ${onOneLine(inner)}`)
  return pairs.length === 0 ? "{}" : `{ ${pairs.join(", ")} }`
}
