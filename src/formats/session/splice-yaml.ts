import type { YamlEntry, YamlNode } from "./build-yaml-tree.ts"
import { type WrittenValue, writeBehindKey } from "./write-yaml-value.ts"
import {
  afterBlankLines,
  afterDeepLines,
  isLineEnd,
  lineAfter,
  lineKind,
  lineStart,
  ownsBlankLines,
} from "./yaml-lines.ts"

/**
 * Puts another value behind a key or dash. A comment on that line stays. `column` is that of the key or dash; `write` is asked for
 * another form, without block scalars, where one would swallow what follows.
 */
export function replaceValue(
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

/** Writes the whole text's one value anew. */
export function replaceRoot(text: string, { start, end, entries }: YamlNode, value: unknown, lineEnd: string): string {
  const { inline, below } = writeBehindKey(value, -2)
  const lines = inline === "" ? below : [inline]
  const before = text.slice(0, Math.min(start, entries[0]?.start ?? start))
  const startsLine = before === "" || before.endsWith("\n")
  const after = isLineEnd(text, end) ? text.slice(lineAfter(text, end)) : text.slice(end).trimStart()
  return before + (startsLine ? "" : lineEnd) + lines.map((line) => line + lineEnd).join("") + after
}

/** Lines for a place where something else may follow: a block scalar that ends in blank lines would take in more of them. */
export function writeApart(write: (quoted: boolean) => string[]): string[] {
  const lines = write(false)
  return lines.at(-1) === "" ? write(true) : lines
}

/** Behind the lines of a node and the comments below that are indented deeper than `column`, so that they belong to it. */
export function endOfLines(text: string, node: YamlNode, column: number): number {
  return afterDeepLines(text, lineAfter(text, node.end), column)
}

export function insertLines(text: string, at: number, lines: readonly string[], lineEnd: string): string {
  const before = text.slice(0, at)
  const closed = before === "" || before.endsWith("\n")
  return before + (closed ? "" : lineEnd) + lines.map((line) => line + lineEnd).join("") + text.slice(at)
}

/** Takes lines out, with the blank lines below where there are others above or a value above would take them in. */
export function removeLines(text: string, from: number, to: number): string {
  const above = text.slice(0, from)
  const blankAbove = from > 0 && lineKind(text, lineStart(text, from - 1)).kind === "blank"
  return above + text.slice(blankAbove || ownsBlankLines(above) ? afterBlankLines(text, to) : to)
}

/** Where the comments begin that stand directly above a line and are not indented deeper than it. */
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
