// Lines of YAML by their offsets, for what is cut and spliced without a parser.

/** Where the next line begins. */
export function lineAfter(text: string, at: number): number {
  const lineFeed = text.indexOf("\n", at)
  return lineFeed === -1 ? text.length : lineFeed + 1
}

/** Where the line of this offset begins. */
export function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1
}

export function countSpaces(text: string, at: number): number {
  let end = at
  while (text.charCodeAt(end) === 0x20) end++
  return end - at
}

export function isLineEnd(text: string, at: number): boolean {
  return at >= text.length || text[at] === "\n" || (text[at] === "\r" && text[at + 1] === "\n")
}

/** What the line that begins here is: nothing but spaces, nothing but a comment, or content. */
export function lineKind(text: string, start: number): { kind: "blank" | "comment" | "content"; indent: number } {
  const indent = countSpaces(text, start)
  const kind = isLineEnd(text, start + indent) ? "blank" : text[start + indent] === "#" ? "comment" : "content"
  return { kind, indent }
}

export function afterBlankLines(text: string, from: number): number {
  let at = from
  while (at < text.length && lineKind(text, at).kind === "blank") at = lineAfter(text, at)
  return at
}

/** Behind the last comment, or line of spaces, below that is deeper than `column`; other comments and content end the search. */
export function afterDeepLines(text: string, from: number, column: number): number {
  let end = from
  for (let at = from; at < text.length; at = lineAfter(text, at)) {
    const { kind, indent } = lineKind(text, at)
    if (indent > column && kind !== "content") end = lineAfter(text, at)
    else if (kind !== "blank") break
  }
  return end
}

/** Whether blank lines behind this text may belong to a value in it: a block scalar with `+` keeps them. */
export function ownsBlankLines(text: string): boolean {
  return /[|>][1-9]?\+/.test(text)
}
