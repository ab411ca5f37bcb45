/**
 * The pieces of an item that get a vector each: its title with a piece of its text, paragraph by paragraph.
 * A vector of a long text is near to everything a little; one of a paragraph is near to what it says.
 */
export function cutPassages(title: string, text: string): string[] {
  const heading = plainText(title)
  const pieces = cutPieces(text.slice(0, MOST_PASSAGES * PASSAGE_WORDS * 16).replace(BOOKKEEPING, ""))
  const passages = pieces.slice(0, MOST_PASSAGES).map((piece) => (heading === "" ? piece : `${heading}. ${piece}`))
  return passages.length > 0 ? passages : heading === "" ? [] : [heading]
}

/** Measured: shorter passages find a little more, but every passage costs a vector; with the title they stay far below MiniLM's 256 word pieces. */
const PASSAGE_WORDS = 80
const MOST_PASSAGES = 8

/** Lines such as "**Date:** 2026-02-15" that say who and when, not what, and the label before what was decided. */
const BOOKKEEPING =
  /^[ \t>*-]*(?:agent|authors?|branch|by|commit|date|deciders|decided by|from|implemented by|issues?|owner|pr|priority|requested by|reviewed by|reviewer|session|status|timestamp)\**[ \t]*:.{0,120}$|\*\*(?:decision|details|rationale|summary|what|why)[ \t]*:\*\*/gim

function cutPieces(text: string): string[] {
  const pieces: string[] = []
  let words: string[] = []
  for (const paragraph of text.split(/\n\s*\n/)) {
    const added = plainText(paragraph)
      .split(" ")
      .filter((word) => word !== "")
    if (words.length > 0 && words.length + added.length > PASSAGE_WORDS * 1.25) {
      pieces.push(words.join(" "))
      words = []
    }
    words.push(...added)
    while (words.length > PASSAGE_WORDS * 1.25) pieces.push(words.splice(0, PASSAGE_WORDS).join(" "))
    if (pieces.length >= MOST_PASSAGES) return pieces
  }
  if (words.length > 0) pieces.push(words.join(" "))
  return pieces
}

/** Text without the marks of Markdown: they are word pieces of their own and pull every vector the same way. */
function plainText(markdown: string): string {
  return markdown
    .replace(/^[ \t]*(?:```.*|[-*_=|: \t]{3,})$/gm, " ")
    .replace(/!?\[([^\]\n]{0,200})\]\([^)\n]{0,500}\)/g, "$1")
    .replace(/^[ \t]*(?:#{1,6}|>|[-*+]|\d{1,3}[.)])[ \t]+/gm, "")
    .replace(/[*`|]+|~~|__/g, " ")
    .replace(/\s+/g, " ")
    .trim()
}
