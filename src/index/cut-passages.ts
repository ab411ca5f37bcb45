/**
 * The pieces of an item that get a vector each: its title with a piece of its text, paragraph by paragraph.
 * A vector of a long text is near to everything a little; one of a paragraph is near to what it says.
 */
export function cutPassages(title: string, text: string): string[] {
  const heading = plainText(title)
  const pieces = cutPieces(text)
  const passages = pieces.slice(0, MOST_PASSAGES).map((piece) => (heading === "" ? piece : `${heading}. ${piece}`))
  return passages.length > 0 ? passages : heading === "" ? [] : [heading]
}

/** Words in one passage: below MiniLM's 256 word pieces with the title before them. */
const PASSAGE_WORDS = 110
const MOST_PASSAGES = 6

function cutPieces(text: string): string[] {
  const pieces: string[] = []
  let words: string[] = []
  for (const paragraph of text.slice(0, MOST_PASSAGES * PASSAGE_WORDS * 16).split(/\n\s*\n/)) {
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
    .replace(/^\s*(?:```.*|[-*_=|:\s]{3,})$/gm, " ")
    .replace(/!?\[([^\]\n]{0,200})\]\([^)\n]{0,500}\)/g, "$1")
    .replace(/^\s*(?:#{1,6}|>|[-*+]|\d{1,3}[.)])\s+/gm, "")
    .replace(/[*`|]+|~~|__/g, " ")
    .replace(/\s+/g, " ")
    .trim()
}
