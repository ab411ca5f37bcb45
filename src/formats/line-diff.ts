/** A range of lines that replaced others; `line` counts from 1, in the new text. */
export type LineChange = { line: number; removed: string[]; added: string[] }

/** Compares two texts line by line. */
export function diffLines(before: string, after: string): LineChange[] {
  const old = linesOf(before)
  const now = linesOf(after)
  let start = 0
  while (start < old.length && start < now.length && old[start] === now[start]) start++
  let end = 0
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++
  const oldMiddle = old.slice(start, old.length - end)
  const newMiddle = now.slice(start, now.length - end)
  return changesIn(oldMiddle, newMiddle).map((change) => ({ ...change, line: change.line + start }))
}

const mostCompared = 4_000_000

/** By the longest common subsequence; longer texts count as one change. */
function changesIn(old: readonly string[], now: readonly string[]): LineChange[] {
  if (old.length === 0 && now.length === 0) return []
  if (old.length * now.length > mostCompared) return [{ line: 1, removed: [...old], added: [...now] }]
  const width = now.length + 1
  const common = new Uint32Array((old.length + 1) * width)
  const at = (row: number, column: number) => common[row * width + column] ?? 0
  for (let row = old.length - 1; row >= 0; row--)
    for (let column = now.length - 1; column >= 0; column--)
      common[row * width + column] =
        old[row] === now[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1))
  const changes: LineChange[] = []
  let open: LineChange | undefined
  for (let row = 0, column = 0; row < old.length || column < now.length; ) {
    if (row < old.length && column < now.length && old[row] === now[column]) {
      open = undefined
      row++
      column++
      continue
    }
    if (!open) {
      open = { line: column + 1, removed: [], added: [] }
      changes.push(open)
    }
    if (column >= now.length || (row < old.length && at(row + 1, column) >= at(row, column + 1)))
      open.removed.push(old[row++] ?? "")
    else open.added.push(now[column++] ?? "")
  }
  return changes
}

const context = 3

/** All changes as one hunk of a unified diff; `line` is where the first text starts in its file, from 1. */
export function hunkOf(before: string, after: string, line = 1): string[] {
  const changes = diffLines(before, after)
  const [first] = changes
  if (!first) return []
  const now = linesOf(after)
  const start = Math.max(0, first.line - 1 - context)
  const lines: string[] = []
  let at = start
  for (const { line: next, removed, added } of changes) {
    lines.push(...now.slice(at, next - 1).map((each) => ` ${each}`))
    lines.push(...removed.map((each) => `-${each}`), ...added.map((each) => `+${each}`))
    at = next - 1 + added.length
  }
  lines.push(...now.slice(at, at + context).map((each) => ` ${each}`))
  const count = (without: string) => lines.filter((each) => !each.startsWith(without)).length
  return [hunkHeader(line + start, count("+"), line + start, count("-")), ...lines]
}

/** The hunk for text inserted after a line. */
export function insertionHunk(text: string, behind: number): string[] {
  const lines = linesOf(text)
  return [hunkHeader(behind, 0, behind + 1, lines.length), ...lines.map((each) => `+${each}`)]
}

function hunkHeader(from: number, removed: number, to: number, added: number): string {
  return `@@ -${from},${removed} +${to},${added} @@`
}

/** A text's lines, without an empty one after its last line break. */
export function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/)
  if (lines.at(-1) === "") lines.pop()
  return lines
}
