import { checkHeader, headerFields, markOf, pairKey, tableMagic } from "../../src/index/embedders/table-file.ts"
import { emptySlot, hashPiece, slotOf } from "../../src/index/embedders/word-pieces.ts"

export type FinishedTable = {
  dimensions: number
  /** By row; undefined for a piece that no text can hold, such as [CLS]. */
  pieces: (string | undefined)[]
  unknown: number
  /** Neighbouring pieces; their rows follow the pieces'. */
  pairs: [number, number][]
  /** All rows, laid end to end. */
  vectors: Float32Array
}

/** The bytes of a table file, as `openTable` reads them. */
export function writeTable(table: FinishedTable): Uint8Array {
  const rowCount = table.pieces.length + table.pairs.length
  const pairKeys = table.pairs.map(([first, second], index) => ({
    key: pairKey(first, second),
    row: table.pieces.length + index,
  }))
  const pieces = fillPieceSlots(table.pieces)
  const pairs = fillSlots(pairKeys)
  const rows = packRows(table.vectors, table.dimensions)
  const header = new Uint32Array(headerFields)
  header.set([
    tableMagic,
    table.dimensions,
    rowCount,
    pieces.keys.length,
    pairs.keys.length,
    pieces.longestPiece,
    table.unknown,
    markOf(rows),
  ])
  header[headerFields - 1] = checkHeader(header)
  const parts = [header, pieces.keys, pieces.rows, pairs.keys, pairs.rows, rows]
  return Buffer.concat(parts.map((part) => new Uint8Array(part.buffer)))
}

/** The vocabulary as a hash table; rows are positions in the list. */
export function fillPieceSlots(pieces: (string | undefined)[]): {
  keys: Uint32Array
  rows: Uint16Array
  longestPiece: number
} {
  const entries = pieces.flatMap((piece, row) => (piece === undefined ? [] : [{ key: hashPiece(piece), row }]))
  const longestPiece = Math.max(...pieces.map((piece) => (piece ?? "").replace(/^##/, "").length))
  return { ...fillSlots(entries), longestPiece }
}

function fillSlots(entries: { key: number; row: number }[]): { keys: Uint32Array; rows: Uint16Array } {
  const count = entries.length === 0 ? 0 : 2 ** Math.ceil(Math.log2(entries.length * 1.5))
  const keys = new Uint32Array(count)
  const rows = new Uint16Array(count).fill(emptySlot)
  if (new Set(entries.map(({ key }) => key)).size !== entries.length)
    throw new Error("Two pieces share a hash; change the hash.")
  for (const { key, row } of entries) {
    let slot = slotOf(key, count - 1)
    while (rows[slot] !== emptySlot) slot = (slot + 1) & (count - 1)
    keys[slot] = key
    rows[slot] = row
  }
  return { keys, rows }
}

/** Each row: its scale, then its values as 8-bit integers. */
function packRows(vectors: Float32Array, dimensions: number): Uint8Array {
  const rowBytes = 4 + dimensions
  const rows = vectors.length / dimensions
  const bytes = new Uint8Array(rows * rowBytes)
  const scales = new Float32Array(bytes.buffer)
  const values = new Int8Array(bytes.buffer)
  for (let row = 0; row < rows; row++) {
    const vector = vectors.subarray(row * dimensions, (row + 1) * dimensions)
    const scale = vector.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0) / 127
    scales[(row * rowBytes) / 4] = scale
    for (let index = 0; index < dimensions; index++)
      values[row * rowBytes + 4 + index] = scale === 0 ? 0 : Math.round((vector[index] ?? 0) / scale)
  }
  return bytes
}
