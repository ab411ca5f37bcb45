/** The word pieces of a table, as an open-addressed hash table: opening it builds nothing. */
export type PieceSlots = {
  /** Hash of the piece in each slot. */
  keys: Uint32Array
  /** Row of the piece in each slot; `emptySlot` ends a chain. */
  rows: Uint16Array
  longestPiece: number
  unknown: number
}

export const emptySlot = 0xffff

/**
 * Splits text into rows like BERT's uncased tokenizers (lower case, no accents, separate punctuation, longest piece
 * first).
 */
export function splitWordPieces(text: string, slots: PieceSlots): number[] {
  const plain = toPlainText(text)
  const pieces: number[] = []
  let at = 0
  while (at < plain.length) {
    const end = endOfWord(plain, at)
    if (end > at) pushPieces(plain, at, end, slots, pieces)
    at = Math.max(end, at + 1)
  }
  return pieces
}

/** Where the word or single punctuation mark that starts here ends; the same offset if neither starts. */
export function endOfWord(plain: string, start: number): number {
  const kind = kindOf(plain.charCodeAt(start))
  if (kind !== word) return kind === mark ? start + 1 : start
  let end = start + 1
  while (end < plain.length && kindOf(plain.charCodeAt(end)) === word) end++
  return end
}

/** The slot of a key, before skipping taken ones. */
export function slotOf(key: number, mask: number): number {
  const mixed = Math.imul(key ^ (key >>> 15), 0x2c1b3c6d)
  return (mixed ^ (mixed >>> 13)) & mask
}

/** Hash of one piece as the vocabulary writes it, `##` included; for tools that build a table. @public */
export function hashPiece(piece: string): number {
  let hash = startOfWord
  for (let index = 0; index < piece.length; index++) hash = addToHash(hash, piece.charCodeAt(index))
  return hash >>> 0
}

const longestWord = 100 // a longer word is one unknown piece, as in the model

/** Adds the pieces of one word of plain text. */
export function pushPieces(text: string, start: number, end: number, slots: PieceSlots, pieces: number[]): void {
  if (end - start > longestWord) {
    pieces.push(slots.unknown)
    return
  }
  const before = pieces.length
  let from = start
  while (from < end) {
    const furthest = Math.min(end, from + slots.longestPiece)
    let hash = from === start ? startOfWord : startOfContinuation
    for (let index = from; index < furthest; index++) {
      hash = addToHash(hash, text.charCodeAt(index))
      prefixHashes[index - from] = hash
    }
    let to = furthest
    let row = emptySlot
    while (to > from) {
      row = rowOf((prefixHashes[to - from - 1] ?? 0) >>> 0, slots)
      if (row !== emptySlot) break
      to--
    }
    if (row === emptySlot) {
      pieces.length = before
      pieces.push(slots.unknown)
      return
    }
    pieces.push(row)
    from = to
  }
}

const prefixHashes = new Int32Array(longestWord)

function rowOf(key: number, { keys, rows }: PieceSlots): number {
  const mask = keys.length - 1
  for (let slot = slotOf(key, mask); ; slot = (slot + 1) & mask) {
    const row = rows[slot] ?? emptySlot
    if (row === emptySlot || keys[slot] === key) return row
  }
}

function addToHash(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01000193)
}

const startOfWord = 0x811c9dc5 | 0
const hashMark = "#".charCodeAt(0)
const startOfContinuation = addToHash(addToHash(startOfWord, hashMark), hashMark)

const space = 0
const word = 1
const mark = 2

/** Everything beyond ASCII is part of a word: `toPlainText` has separated the rest. */
function kindOf(unit: number): number {
  if (unit > 126) return word
  if (unit <= 32) return space
  if ((unit >= 97 && unit <= 122) || (unit >= 48 && unit <= 57)) return word
  return mark
}

/** Lower case without accents and control characters; punctuation and ideographs beyond ASCII become separate words. */
export function toPlainText(text: string): string {
  if (!beyondPlain.test(text)) return text.toLowerCase()
  return text
    .replace(invisible, "")
    .replace(ideograph, " $& ")
    .normalize("NFD")
    .replace(accent, "")
    .toLowerCase()
    .replace(punctuationBeyondAscii, " $& ")
    .replace(/\s/g, " ")
}

const beyondPlain = /[^\t\n\r\x20-\x7e]/
const invisible = /[^\P{C}\t\n\r]|\u{fffd}/gu
const ideograph =
  /[\u{4e00}-\u{9fff}\u{3400}-\u{4dbf}\u{20000}-\u{2a6df}\u{2a700}-\u{2b73f}\u{2b740}-\u{2b81f}\u{2b820}-\u{2ceaf}\u{f900}-\u{faff}\u{2f800}-\u{2fa1f}]/gu
const accent = /\p{Mn}/gu
const punctuationBeyondAscii = /[^\P{P}\x00-\x7f]/gu
