/**
 * The passages of an item, each with its own vector: its title with a piece of its text, paragraph by paragraph. The
 * vector of a long text is slightly near to everything; that of a paragraph is near to its subject.
 */
export function cutPassages(title: string, text: string): string[] {
  const heading = plainText(title)
  const pieces = cutPieces(text.slice(0, mostPassages * passageWords * 16).replace(bookkeeping, ""))
  const passages = pieces.slice(0, mostPassages).map((piece) => (heading === "" ? piece : `${heading}. ${piece}`))
  return passages.length > 0 ? passages : heading === "" ? [] : [heading]
}

/**
 * Measured: shorter passages find a little more, but every passage costs a vector; with the title they stay far below
 * MiniLM's 256 word pieces.
 */
const passageWords = 80
const mostPassages = 8

/** Metadata lines such as "**Date:** 2026-02-15", and the label before a decision. */
const bookkeeping =
  /^[ \t>*-]*(?:agent|authors?|branch|by|commit|date|deciders|decided by|from|implemented by|issues?|owner|pr|priority|requested by|reviewed by|reviewer|session|status|timestamp)\**[ \t]*:.{0,120}$|\*\*(?:decision|details|rationale|summary|what|why)[ \t]*:\*\*/gim

function cutPieces(text: string): string[] {
  const pieces: string[] = []
  let held = ""
  let words = 0
  for (const paragraph of text.split(/\n\s*\n/)) {
    const added = plainText(paragraph)
    const count = countWords(added)
    if (words > 0 && words + count > passageWords * 1.25) {
      pieces.push(held)
      held = ""
      words = 0
    }
    held = held === "" || added === "" ? held + added : `${held} ${added}`
    words += count
    while (words > passageWords * 1.25) {
      const end = endOfWords(held, passageWords)
      pieces.push(held.slice(0, end))
      held = held.slice(end + 1)
      words -= passageWords
    }
    if (pieces.length >= mostPassages) return pieces
  }
  if (words > 0) pieces.push(held)
  return pieces
}

const space = 32

/** For plain text, with one space between two words. */
function countWords(plain: string): number {
  let count = plain === "" ? 0 : 1
  for (let at = 0; at < plain.length; at++) if (plain.charCodeAt(at) === space) count++
  return count
}

function endOfWords(plain: string, count: number): number {
  let end = -1
  for (let number = 0; number < count; number++) end = plain.indexOf(" ", end + 1)
  return end
}

/** Text without Markdown syntax: its characters are word pieces and pull every vector in the same direction. */
export function plainText(markdown: string): string {
  const unmarked = marks.test(markdown) ? withoutMarks(markdown) : markdown
  return unmarked.replace(/\s\s+|[^\S ]/g, " ").trim()
}

/** Characters that `withoutMarks` may change; most paragraphs have none. */
const marks = /[[*`|]|~~|__|^[ \t]*[-_=:#>+\d]/m

function withoutMarks(markdown: string): string {
  return markdown
    .replace(/^[ \t]*(?:```.*|[-*_=|: \t]{3,})$/gm, " ")
    .replace(/!?\[([^\]\n]{0,200})\]\([^)\n]{0,500}\)/g, "$1")
    .replace(/^[ \t]*(?:#{1,6}|>|[-*+]|\d{1,3}[.)])[ \t]+/gm, "")
    .replace(/[*`|]+|~~|__/g, " ")
}
