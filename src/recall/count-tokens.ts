import { cutPieces } from "./cut-pieces.ts"
import { mergeBytes } from "./merge-bytes.ts"
import { noRank, openTokenTable, type TokenTable } from "./token-table.ts"

/**
 * At least as many tokens as o200k_base makes of the text, whatever the text; some 10 % more on software prose.
 *
 * It is that tokeniser with only the first quarter of its vocabulary. The tokeniser joins what stands earlier in the
 * vocabulary first, so it comes by the very state reached here, and can only join more from there on.
 */
export function boundTokens(text: string): number {
  table ??= openTokenTable() ?? "absent"
  if (table === "absent") return Buffer.byteLength(text) // no token is shorter than a byte

  const bytes = Buffer.from(text)
  const isAscii = bytes.length === text.length
  let tokens = 0
  let start = 0
  for (const piece of cutPieces(text)) {
    const end = start + (isAscii ? piece.length : Buffer.byteLength(piece))
    tokens += table.rankOf(bytes, start, end) === noRank ? boundPiece(table, piece, bytes.subarray(start, end)) : 1
    start = end
  }
  return tokens
}

let table: TokenTable | "absent" | undefined

/** What took joining before; a text uses its rare words more than once. */
const counted = new Map<string, number>()

function boundPiece(table: TokenTable, piece: string, bytes: Uint8Array): number {
  const before = counted.get(piece)
  if (before !== undefined) return before
  const tokens = mergeBytes(table, bytes)
  if (counted.size >= 20_000) counted.clear()
  counted.set(piece, tokens)
  return tokens
}
