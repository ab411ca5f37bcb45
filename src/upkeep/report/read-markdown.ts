import { findFences } from "../../formats/fences.ts"
import { isBlank, splitLines } from "../../formats/source-text.ts"
import type { ReadStore, StoredMemory } from "./stored-memory.ts"

const item = /^ {0,1}(?:[-*+]|\d{1,3}[.)])(?:[ \t]+|$)/
const frame = /^(?:#{1,6}(?:[ \t]|$)|-{3,}$|\*{3,}$|={3,}$|<!--|<\/?[a-z]|@\S+$)/i

/** Notes kept in Markdown (MEMORY.md, CLAUDE.md): each list item and each paragraph is a memory. */
export function readMarkdown(path: string, text: string): ReadStore {
  const { lines } = splitLines(text)
  const { fenced } = findFences(lines)
  const next = nextTexts(lines)
  const memories: StoredMemory[] = []
  let open: StoredMemory | undefined
  let isItem = false
  const begin = (line: string, at: number, ofList: boolean) => {
    open = { path, line: at + 1, text: line, at: undefined }
    isItem = ofList
    memories.push(open)
  }
  for (let at = endOfHeader(lines); at < lines.length; at++) {
    const line = lines[at] ?? ""
    if (fenced[at]) {
      if (open)
        open.text += `\n${line}` // code belongs to the text above it
      else begin(line, at, false)
    } else if (frame.test(line) || isLabel(lines, fenced, at, next[at])) open = undefined
    else if (item.test(line)) begin(line.replace(item, ""), at, true)
    else if (isBlank(line)) open = keepsOpen(lines, fenced, next[at], isItem) ? open : undefined
    else if (open) open.text += `\n${line.trim()}`
    else begin(line.trim(), at, false)
  }
  return { path, format: "markdown", memories, parts: [], broken: [] }
}

type Fenced = ArrayLike<unknown>

/** For each line, the next line that is not blank. */
function nextTexts(lines: readonly string[]): (number | undefined)[] {
  const next: (number | undefined)[] = new Array(lines.length)
  let found: number | undefined
  for (let at = lines.length - 1; at >= 0; at--) {
    next[at] = found
    if (!isBlank(lines[at] ?? "")) found = at
  }
  return next
}

/** A line that only introduces what follows, like a heading; before code it describes the code. */
function isLabel(lines: readonly string[], fenced: Fenced, at: number, next: number | undefined): boolean {
  const isAlone = isBlank(lines[at - 1] ?? "") && isBlank(lines[at + 1] ?? "")
  const isBefore = !isBlank(lines[at - 1] ?? "") || item.test(lines[at + 1] ?? "")
  if (!/^(?:(?:\*\*|__)[^*_]{1,80}(?:\*\*|__):?|[^.!?`]{1,60}:)$/.test((lines[at] ?? "").trim())) return false
  return (isAlone || isBefore) && !(next !== undefined && fenced[next])
}

/** An item continues after a blank line if the next line is indented; code belongs to the paragraph before it. */
function keepsOpen(lines: readonly string[], fenced: Fenced, next: number | undefined, isItem: boolean): boolean {
  if (next === undefined) return false
  return Boolean(fenced[next]) || (isItem && /^[ \t]{2,}/.test(lines[next] ?? ""))
}

function endOfHeader(lines: readonly string[]): number {
  if (lines[0]?.trim() !== "---") return 0
  const end = lines.findIndex((line, at) => at > 0 && line.trim() === "---")
  return end === -1 ? 0 : end + 1
}
