/** One piece of a query's text: `-key:"value"` with every part but the value optional. */
export type QueryToken = {
  start: number
  end: number
  negated: boolean
  key?: string
  /** Without its quotes and escapes. */
  value: string
  valueStart: number
  quoted: boolean
  /** False for a value whose quote is never closed. */
  closed: boolean
}

const piece = /(-?)(?:([A-Za-z]+):)?(?:"([^"\\]*(?:\\.[^"\\]*)*)("?)|(\S*))/sy

/** Cuts a query's text at white space outside quotes; `\"` and `\\` stand for themselves inside. */
export function tokenizeQuery(text: string): QueryToken[] {
  const tokens: QueryToken[] = []
  let at = skipWhiteSpace(text, 0)
  while (at < text.length) {
    piece.lastIndex = at
    const [, minus = "", key, quoted, closing, bare = ""] = piece.exec(text) ?? []
    const closed = quoted === undefined || closing === '"'
    const end = closed ? piece.lastIndex : text.length
    const value = quoted === undefined ? bare : quoted.replace(/\\(["\\])/g, "$1")
    const valueStart = at + minus.length + (key === undefined ? 0 : key.length + 1)
    tokens.push({
      start: at,
      end,
      negated: minus !== "",
      ...(key === undefined ? {} : { key }),
      value,
      valueStart,
      quoted: quoted !== undefined,
      closed,
    })
    at = skipWhiteSpace(text, end)
  }
  return tokens
}

function skipWhiteSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && /\s/.test(text.charAt(at))) at++
  return at
}
