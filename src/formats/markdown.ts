import { isDatedHeading, semHeaderAt } from "./sem-grammar.ts"
import { isBlank, trimBlanks } from "./source-text.ts"

/** Which lines are inside a code fence (its markers included) or a comment, and the unclosed openers. */
export type Fences = { fenced: Uint8Array; unclosed: number[] }

/** The `length` of a comment is its last line. */
type Marker = {
  line: number
  kind: "`" | "~" | "comment"
  length: number
  opens: boolean
  closes: boolean
  info: string
}

const opener = /^[ \t]*(?:(?:[-*+>]|\d{1,9}[.)])[ \t]*)*(`{3,}|~{3,})(.*)$/s
const closer = /^[ \t>]*(`{3,}|~{3,})[ \t]*$/

/** A heading that starts an entry, by its words alone: dated, or `Decision 4: …`. */
const entryHeading =
  /^#{1,3}[ \t]+(?:[^\w\s]+[ \t]*)?(?:\d{4}-\d{2}-\d{2}(?!\d)|(?:team[ \t]+)?decision\b[^:\n]{0,12}:[ \t]*\S)/i

/**
 * Finds code fences the way people write them: openers may be in list items and quotes. A fence that is never closed is plain text, so
 * that one mistake does not hide the rest of the file; HTML comments over several lines count as fenced. Linear in the number of lines.
 * `of` is "file" where a stray fence of a legacy entry ends at the next entry.
 */
export function findFences(lines: readonly string[], of: "body" | "file" = "body"): Fences {
  const markers = findMarkers(lines)
  const longestCloserFrom = longestClosers(markers)
  const fenced = new Uint8Array(lines.length)
  const endOfStray = of === "file" ? strayTest(lines, markers, fenced) : () => undefined
  const unclosed: number[] = []
  let at = 0
  while (at < markers.length) {
    const open = markers[at++] as Marker
    if (open.kind === "comment") {
      fenced.fill(1, open.line, open.length + 1)
      while ((markers[at]?.line ?? lines.length) <= open.length) at++
      continue
    }
    if (!open.opens) continue
    const end = endOfStray(open, at)
    if (end !== undefined || (longestCloserFrom[open.kind][at] ?? 0) < open.length) {
      unclosed.push(open.line)
      while (end !== undefined && (markers[at]?.line ?? lines.length) < end) at++
      continue
    }
    while (!closesFence(markers[at] as Marker, open)) at++ // the check above ensures that one follows
    const close = markers[at++] as Marker
    fenced.fill(1, open.line, close.line + 1)
  }
  return { fenced, unclosed }
}

const markersToLookAt = 20

/**
 * Finds the end of a stray fence: the next entry heading, if another fence opens after that before this one is closed, or if the fence has
 * no language and a blank line follows it. Any other fence around a heading is an example. The writer closes the fences of SEM entries, so
 * those are never stray.
 */
function strayTest(
  lines: readonly string[],
  markers: readonly Marker[],
  fenced: Uint8Array,
): (open: Marker, next: number) => number | undefined {
  const headings = lines.flatMap((line, index) => (line.charCodeAt(0) === 0x23 && entryHeading.test(line) ? index : []))
  let nth = 0
  let above = -1
  return (open, next) => {
    for (; (headings[nth] ?? lines.length) < open.line; nth++) {
      const at = headings[nth] ?? -1
      // An undated heading below a SEM header is part of that entry.
      if (!fenced[at] && (isDatedHeading(lines[at] ?? "") || !semHeaderAt(lines, above))) above = at
    }
    const heading = headings[nth]
    if (heading === undefined || /^(?:markdown|md)\b/i.test(open.info)) return undefined
    if (semHeaderAt(lines, above)) return undefined
    let at = next
    while ((markers[at]?.line ?? lines.length) < heading)
      if (closesFence(markers[at++] as Marker, open)) return undefined
    if (open.info === "" && isBlank(lines[open.line + 1] ?? "")) return heading
    const behind = markers.slice(at, at + markersToLookAt)
    const first = behind.find(({ kind, length }) => kind === open.kind && length >= open.length)
    return first !== undefined && !first.closes ? heading : undefined
  }
}

/** The closing line a text needs so that its last open fence ends with it; undefined when all are closed. */
export function missingCloser(lines: readonly string[]): string | undefined {
  const first = findFences(lines).unclosed[0]
  if (first === undefined) return undefined
  return opener.exec(lines[first] ?? "")?.[1]
}

function findMarkers(lines: readonly string[]): Marker[] {
  const markers: Marker[] = []
  lines.forEach((line, index) => {
    if (line.includes("<!--")) {
      const end = endOfComment(lines, index)
      if (end > index) markers.push({ line: index, kind: "comment", length: end, opens: true, closes: false, info: "" })
      return
    }
    if (!line.includes("```") && !line.includes("~~~")) return
    const opening = opener.exec(line)
    const run = opening?.[1]
    if (run === undefined) return
    const kind = run[0] as "`" | "~"
    const opens = kind === "~" || !opening?.[2]?.includes("`")
    markers.push({
      line: index,
      kind,
      length: run.length,
      opens,
      closes: closer.test(line),
      info: (opening?.[2] ?? "").trim(),
    })
  })
  return markers
}

/** The last line of a multi-line comment that begins a line; the line itself for any other. */
function endOfComment(lines: readonly string[], start: number): number {
  if (!/^<!--(?!.*-->)/.test(lines[start] ?? "")) return start
  for (let end = start + 1; end < lines.length; end++) {
    const line = lines[end] ?? ""
    if (line.includes("<!--")) return start // the first was never closed
    if (line.includes("-->")) return end
  }
  return start
}

/** For each marker, the longest closer of each kind from there to the end: shows at once whether a fence is ever closed. */
function longestClosers(markers: readonly Marker[]): { "`": number[]; "~": number[] } {
  const longest: { "`": number[]; "~": number[] } = { "`": [], "~": [] }
  for (let at = markers.length - 1; at >= 0; at--) {
    const marker = markers[at] as Marker
    for (const kind of ["`", "~"] as const) {
      const own = marker.closes && marker.kind === kind ? marker.length : 0
      longest[kind][at] = Math.max(own, longest[kind][at + 1] ?? 0)
    }
  }
  return longest
}

function closesFence(marker: Marker, open: Marker): boolean {
  return marker.closes && marker.kind === open.kind && marker.length >= open.length
}

/** Moves the headings of a body down together until the shallowest is at `shallowest`; none goes below level 6. */
export function demoteHeadings(text: string, shallowest = 4): string {
  if (!text.startsWith("#") && !text.includes("\n#")) return text
  const lines = text.split("\n")
  const { fenced } = findFences(lines)
  let top = 7
  lines.forEach((line, index) => {
    const level = headingLevel(line)
    if (level > 0 && !fenced[index]) top = Math.min(top, level)
  })
  if (top >= shallowest) return text
  const shift = shallowest - top
  return lines
    .map((line, index) => {
      const level = headingLevel(line)
      if (level === 0 || fenced[index]) return line
      return "#".repeat(Math.min(6, level + shift)) + line.slice(level)
    })
    .join("\n")
}

/** 1 to 6 for a Markdown heading at the start of the line, 0 for anything else. */
export function headingLevel(line: string): number {
  if (line.charCodeAt(0) !== 0x23) return 0
  let level = 1
  while (line.charCodeAt(level) === 0x23) level++
  if (level > 6) return 0
  const next = line.charCodeAt(level)
  return level === line.length || next === 0x20 || next === 0x09 ? level : 0
}

/** The words of a heading of this level, without the marks that close it; a `#` that belongs to a word stays. In linear time. */
export function headingText(line: string, level: number): string {
  const words = trimBlanks(line.slice(level))
  let end = words.length
  while (end > 0 && words[end - 1] === "#") end--
  const closes = end > 0 && end < words.length && isBlank(words.slice(end - 1, end))
  return closes ? trimBlanks(words.slice(0, end)) : words
}
