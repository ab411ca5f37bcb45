/** Which lines stand inside a code fence (its markers included), and the openers that nothing closes. */
export type Fences = { fenced: Uint8Array; unclosed: number[] }

type Marker = { line: number; kind: "`" | "~"; length: number; opens: boolean; closes: boolean }

const opener = /^[ \t]*(?:(?:[-*+>]|\d{1,9}[.)])[ \t]*)*(`{3,}|~{3,})(.*)$/s
const closer = /^[ \t>]*(`{3,}|~{3,})[ \t]*$/

/**
 * Finds code fences the way people write them: openers may stand in list items and quotes. A fence that is never
 * closed is plain text, so that one slip does not hide the rest of the file. Linear in the number of lines.
 */
export function findFences(lines: readonly string[]): Fences {
  const markers = findMarkers(lines)
  const longestCloserFrom = longestClosers(markers)
  const fenced = new Uint8Array(lines.length)
  const unclosed: number[] = []
  let at = 0
  while (at < markers.length) {
    const open = markers[at++] as Marker
    if (!open.opens) continue
    if ((longestCloserFrom[open.kind][at] ?? 0) < open.length) {
      unclosed.push(open.line)
      continue
    }
    while (!closesFence(markers[at] as Marker, open)) at++ // the check above says that one follows
    const close = markers[at++] as Marker
    fenced.fill(1, open.line, close.line + 1)
  }
  return { fenced, unclosed }
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
    if (!line.includes("```") && !line.includes("~~~")) return
    const opening = opener.exec(line)
    const run = opening?.[1]
    if (run === undefined) return
    const kind = run[0] as "`" | "~"
    const opens = kind === "~" || !opening?.[2]?.includes("`")
    markers.push({ line: index, kind, length: run.length, opens, closes: closer.test(line) })
  })
  return markers
}

/** For each marker, the longest closer of each kind from there to the end: tells at once whether a fence is ever closed. */
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
