/** The part of a file of somebody else's that Drey keeps: between these two lines. */
export const blockBegin = "<!-- drey:begin -->"
export const blockEnd = "<!-- drey:end -->"

/** What stands between the marks; undefined when the file has no such block. */
export function readManagedBlock(text: string): string | undefined {
  const span = spanOf(text)
  if (!span) return undefined
  const lines = text.slice(span.start, span.end).split(/\r?\n/)
  return lines.slice(1, -1).join("\n")
}

/** The text with this block: in its place if it has one, else at the end. */
export function writeManagedBlock(text: string, content: string): string {
  const lineEnd = /\r?\n/.exec(text)?.[0] ?? "\n"
  const block = [blockBegin, ...content.split("\n"), blockEnd].join(lineEnd)
  const span = spanOf(text)
  if (span) return text.slice(0, span.start) + block + text.slice(span.end)
  if (text.replace(/^\uFEFF/, "").trim() === "") return `${text}${block}${lineEnd}`
  // A file that ends without a line end keeps that manner, so that taking the block out gives back what was there.
  return text.endsWith("\n") ? `${text}${lineEnd}${block}${lineEnd}` : `${text}${lineEnd}${lineEnd}${block}`
}

/** The text without its block and without the empty line that came with it. */
export function removeManagedBlock(text: string): string {
  const span = spanOf(text)
  if (!span) return text
  const head = text.slice(0, span.start)
  const tail = text.slice(span.end)
  if (tail === "") return head.replace(/\r?\n\r?\n$/, "")
  return head.replace(/(\n)\r?\n$/, "$1") + tail.replace(/^\r?\n/, "")
}

/** A mark counts where it has its line for itself; without an end mark there is no block. */
function spanOf(text: string): { start: number; end: number } | undefined {
  const begin = new RegExp(`^(\uFEFF?)${blockBegin}[ \\t]*$`, "m").exec(text)
  if (!begin) return undefined
  const end = new RegExp(`^${blockEnd}`, "m").exec(text.slice(begin.index))
  if (!end) return undefined
  return { start: begin.index + (begin[1] ?? "").length, end: begin.index + end.index + blockEnd.length }
}
