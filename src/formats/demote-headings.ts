import { findFences } from "./fences.ts"

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
