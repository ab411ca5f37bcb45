import { knownField, parseFieldLine, type ReadEntry } from "../../../src/formats.ts"

/** The lines of one SEM entry in its file, and where its fields begin; line numbers count from 1. */
export type EntryLines = {
  header: number
  /** By field name, each with the line of its label. */
  fields: Map<string, number>
  /** Where a further one-line field goes. */
  afterMetadata: number
  /** Where a body or list goes that does not exist yet: before `related`, or before the closing `---`. */
  beforeEnd: number
}

export function linesOfEntry(
  lines: readonly string[],
  { line, endLine }: Pick<ReadEntry, "line" | "endLine">,
): EntryLines {
  const fields = new Map<string, number>()
  let afterMetadata = line + 1
  let isHead = true
  let fence: string | undefined
  for (let number = line + 1; number <= endLine; number++) {
    const text = lines[number - 1] ?? ""
    const mark = /^\s*(```+|~~~+)/.exec(text)?.[1]?.slice(0, 3)
    if (mark !== undefined) fence = fence === undefined ? mark : fence === mark ? undefined : fence
    if (fence !== undefined) continue
    const name = knownField(parseFieldLine(text)?.label ?? "")
    if (name !== undefined && !fields.has(name)) fields.set(name, number)
    const isBody = name === "summary" || name === "details" || name === "rationale" || name === "related"
    if (isBody || (name === undefined && text.trim() !== "" && !text.startsWith("**"))) isHead = false
    if (isHead && text.startsWith("**")) afterMetadata = number + 1
  }
  const related = fields.get("related")
  let beforeEnd = endLine + 1
  while (beforeEnd - 1 > line && /^(?:---)?[ \t]*$/.test(lines[beforeEnd - 2] ?? "")) beforeEnd--
  return { header: line, fields, afterMetadata, beforeEnd: related ?? beforeEnd }
}
