import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { findAssets } from "../index/embedders/embedder.ts"

/**
 * At least as many tokens as o200k_base makes of the text, whatever the text; some 10 % more on software prose.
 *
 * It is that tokeniser with only the first quarter of its vocabulary. The tokeniser joins what stands earlier in the
 * vocabulary first, so it comes by the very state reached here, and can only join more from there on.
 */
export const boundTokens = rememberCounts((text) => {
  table ??= openTokenTable() ?? "absent"
  return table === "absent" ? Buffer.byteLength(text) : countBound(table, text) // no token is shorter than a byte
})

/** The same, counting each text once as long as it is among the latest: most of a context was in the one before. */
export function rememberCounts(count: (text: string) => number): (text: string) => number {
  const known = new Map<string, number>()
  let characters = 0
  return (text) => {
    const before = known.get(text)
    if (before !== undefined) return before
    const tokens = count(text)
    if (text.length > longestKept) return tokens
    if (characters > mostCharacters) {
      known.clear()
      characters = 0
    }
    known.set(text, tokens)
    characters += text.length
    return tokens
  }
}

const longestKept = 4000
const mostCharacters = 2_000_000

function countBound(table: TokenTable, text: string): number {
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

/** Cuts a text as o200k_base does before it joins bytes: nothing is left out, and no token reaches over two pieces. */
export function cutPieces(text: string): string[] {
  if (western.test(text)) return text.match(westernPieces) ?? []
  anyPieces ??= piecePattern({
    upper: String.raw`\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}`,
    lower: String.raw`\p{Ll}\p{Lm}\p{Lo}\p{M}`,
    letter: String.raw`\p{L}`,
    digit: String.raw`\p{N}`,
  })
  return text.match(anyPieces) ?? []
}

/** Latin letters, punctuation, arrows, signs and emoji; no letter, digit or mark but those listed below is in here. */
const western =
  /^[\ufe0f\0-\xa9\xab-\xb1\xb4-\xb8\xbb\xbf-\xff\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u2190-\u245f\u2500-\u2775\u2794-\u2bff\u{1f300}-\u{1faff}]*$/u

const westernPieces = piecePattern({
  upper: String.raw`A-Z\xc0-\xd6\xd8-\xde\ufe0f`,
  lower: String.raw`a-z\xb5\xdf-\xf6\xf8-\xff\ufe0f`,
  letter: String.raw`A-Za-z\xb5\xc0-\xd6\xd8-\xf6\xf8-\xff`,
  digit: "0-9",
})

/** Made when it is first needed: its Unicode classes take longer to compile than a context takes to count. */
let anyPieces: RegExp | undefined

/** `upper` and `lower` both hold the marks, of which a variation selector is one, and letters that are neither. */
function piecePattern(classes: { upper: string; lower: string; letter: string; digit: string }): RegExp {
  const { upper, lower, letter, digit } = classes
  const before = String.raw`[^\r\n${letter}${digit}]?`
  const contraction = "(?:'(?:[sS]|[dD]|[mM]|[tT]|[lL][lL]|[vV][eE]|[rR][eE]))?"
  const words = `${before}[${upper}]*[${lower}]+${contraction}|${before}[${upper}]+[${lower}]*${contraction}`
  const others = String.raw`[${digit}]{1,3}| ?[^\s${letter}${digit}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
  return new RegExp(`${words}|${others}`, "gu")
}

/** How many tokens remain of a piece when the neighbours that come first in the table are joined, until none can be. */
function mergeBytes(table: TokenTable, bytes: Uint8Array): number {
  const length = bytes.length
  if (table.rankOf(bytes, 0, length) !== noRank) return 1
  if (length > longest) return length

  // Part i reaches from starts[i] to starts[i + 1]; ranks[i] is what joining it with the next part would make.
  for (let start = 0; start <= length; start++) {
    starts[start] = start
    ranks[start] = start + 2 <= length ? table.rankOf(bytes, start, start + 2) : noRank
  }
  for (let parts = length; ; ) {
    const part = firstOf(parts)
    if (part < 0) return parts
    starts.copyWithin(part + 1, part + 2, parts + 1)
    ranks.copyWithin(part, part + 1, parts + 1)
    parts--
    for (let joined = Math.max(0, part - 1); joined <= part; joined++) {
      const end = joined + 2 <= parts ? (starts[joined + 2] as number) : -1
      ranks[joined] = end < 0 ? noRank : table.rankOf(bytes, starts[joined] as number, end)
    }
  }
}

/** The time grows with the square of the length, so a longer run, which prose does not have, is counted by its bytes. */
const longest = 512

/** For the current piece; allocated once, since a text has many. */
const starts = new Int32Array(longest + 1)
const ranks = new Int32Array(longest + 1)

/** The part whose joining with the next comes first in the table, or −1. */
function firstOf(parts: number): number {
  let first = noRank
  let part = -1
  for (let index = 0; index < parts; index++) {
    const rank = ranks[index] as number
    if (rank >= first) continue
    first = rank
    part = index
  }
  return part
}

/** The first tokens of the o200k_base vocabulary, looked up by their bytes. */
type TokenTable = {
  /** The token's rank in the vocabulary, lower is earlier; `noRank` if it is not in the table. */
  rankOf(bytes: Uint8Array, start: number, end: number): number
}

export const noRank = 0x3fffffff // a small integer: arithmetic with infinity is several times slower

export const tokenTableFile = "o200k-beginning.bin"

/** Opens the shipped table; undefined if it is missing. Nothing is built: the file is the hash table. */
export function openTokenTable(): TokenTable | undefined {
  const assets = findAssets()
  const path = assets && join(assets, tokenTableFile)
  return path && existsSync(path) ? readTokenTable(readFileSync(path)) : undefined
}

/**
 * The file: the number of slots, the slots, the tokens' bytes in the order of the vocabulary without anything between.
 * A slot is offset × 256 + length of a token, or 0; all numbers are 32 bits, little endian.
 */
function readTokenTable(file: Uint8Array): TokenTable {
  const slots = new Uint32Array(file.buffer, file.byteOffset + 4, new Uint32Array(file.buffer, file.byteOffset, 1)[0])
  const tokens = file.subarray(4 + slots.byteLength)

  const holds = (offset: number, bytes: Uint8Array, start: number, length: number): boolean => {
    for (let index = 0; index < length; index++) if (tokens[offset + index] !== bytes[start + index]) return false
    return true
  }

  return {
    rankOf(bytes, start, end) {
      const length = end - start
      let slot = slotOf(bytes, start, end, slots.length)
      for (let entry = slots[slot]; entry; entry = slots[slot]) {
        if ((entry & 255) === length && holds(entry >>> 8, bytes, start, length)) return entry >>> 8 // offsets rise with rank
        slot = slot + 1 === slots.length ? 0 : slot + 1
      }
      return noRank
    },
  }
}

/** The first slot to probe for a token; on a collision, the next free one. */
export function slotOf(bytes: Uint8Array, start: number, end: number, slots: number): number {
  let hash = 0x811c9dc5
  for (let index = start; index < end; index++) hash = Math.imul(hash ^ (bytes[index] ?? 0), 0x01000193)
  return ((hash ^ (hash >>> 15)) >>> 0) % slots
}
