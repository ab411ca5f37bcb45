const context = 3

/** The difference of two texts as one hunk of a unified diff; `line` is where the first text starts in its file, from 1. */
export function diffTexts(before: string, after: string, line = 1): string[] {
  const [old, young] = [linesOf(before), linesOf(after)]
  let start = 0
  while (start < old.length && start < young.length && old[start] === young[start]) start++
  let end = 0
  while (end < old.length - start && end < young.length - start && old.at(-1 - end) === young.at(-1 - end)) end++
  const removed = old.slice(start, old.length - end)
  const added = young.slice(start, young.length - end)
  if (removed.length + added.length === 0) return []
  const above = old.slice(Math.max(0, start - context), start)
  const below = old.slice(old.length - end, old.length - end + context)
  const shared = above.length + below.length
  const at = line + start - above.length
  return [
    hunk(at, removed.length + shared, at, added.length + shared),
    ...above.map((each) => ` ${each}`),
    ...removed.map((each) => `-${each}`),
    ...added.map((each) => `+${each}`),
    ...below.map((each) => ` ${each}`),
  ]
}

/** The hunk for text inserted after a line. */
export function diffInsertion(text: string, behind: number): string[] {
  const lines = linesOf(text)
  return [hunk(behind, 0, behind + 1, lines.length), ...lines.map((each) => `+${each}`)]
}

export function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/)
  if (lines.at(-1) === "") lines.pop()
  return lines
}

function hunk(from: number, removed: number, to: number, added: number): string {
  return `@@ -${from},${removed} +${to},${added} @@`
}
