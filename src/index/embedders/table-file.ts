import { closeSync, fstatSync, openSync, readSync } from "node:fs"
import { codeOf } from "../../disk/text-files.ts"
import { emptySlot, type PieceSlots, slotOf } from "./word-pieces.ts"

/** An open table: the hash slots are in memory, the rows on disk until `loadRows` loads them all. */
export type TableFile = {
  dimensions: number
  /** Identifies the vectors of this table. */
  mark: number
  pieces: PieceSlots
  pairs: PairSlots
  /** Bytes of a row: its scale as a 32-bit float, then an 8-bit integer for each dimension. */
  rowBytes: number
  rowCount: number
  readRow(row: number, into: Uint8Array): void
  /** All rows, one after the other. */
  loadRows(into: Uint8Array): void
  close(): void
}

/** Neighbouring pieces with their own row, as an open-addressed hash table. */
export type PairSlots = { keys: Uint32Array; rows: Uint16Array }

export type TableOutcome = { kind: "opened"; table: TableFile } | { kind: "unusable"; reason: string }

export const tableMagic = 0x31545244 // "DRT1", little endian
export const headerFields = 12
const headerBytes = headerFields * 4

/** Reads the header and the hash slots, and checks that the file is complete. */
export function openTable(path: string): TableOutcome {
  let file: number
  try {
    file = openSync(path, "r")
  } catch (error) {
    return { kind: "unusable", reason: `${path} cannot be opened (${codeOf(error) ?? error})` }
  }
  const table = readTable(file, path)
  if (table.kind === "unusable") closeSync(file)
  return table
}

function readTable(file: number, path: string): TableOutcome {
  const unusable = (what: string): TableOutcome => ({ kind: "unusable", reason: `${path} ${what}` })
  const length = fstatSync(file).size
  const header = new Uint32Array(headerFields)
  if (!fill(file, new Uint8Array(header.buffer), 0)) return unusable("is too short to be a vector table")
  const [
    magic = 0,
    dimensions = 0,
    rowCount = 0,
    pieceSlots = 0,
    pairSlots = 0,
    longestPiece = 0,
    unknown = 0,
    mark = 0,
  ] = header
  if (magic !== tableMagic) return unusable("is not a vector table, or it is of a later version")
  if (header[headerFields - 1] !== checkHeader(header)) return unusable("is damaged: its header's checksum is wrong")
  const slots = new Uint8Array((pieceSlots + pairSlots) * 6)
  const rowBytes = 4 + dimensions
  const rowsAt = headerBytes + slots.length
  if (length !== rowsAt + rowCount * rowBytes || !fill(file, slots, headerBytes))
    return unusable("is damaged: it has the wrong length")
  const part = { at: 0 }
  const keysOf = (count: number) => new Uint32Array(slots.buffer, take(part, count * 4), count)
  const rowsOf = (count: number) => new Uint16Array(slots.buffer, take(part, count * 2), count)
  const pieces = { keys: keysOf(pieceSlots), rows: rowsOf(pieceSlots), longestPiece, unknown }
  const pairs = { keys: keysOf(pairSlots), rows: rowsOf(pairSlots) }
  const table: TableFile = {
    dimensions,
    mark,
    pieces,
    pairs,
    rowBytes,
    rowCount,
    readRow: (row, into) => {
      readSync(file, into, 0, rowBytes, rowsAt + row * rowBytes)
    },
    loadRows: (into) => {
      fill(file, into, rowsAt)
    },
    close: () => closeSync(file),
  }
  return { kind: "opened", table }
}

/** The row of two neighbouring pieces, or `emptySlot`. */
export function pairRowOf(first: number, second: number, { keys, rows }: PairSlots): number {
  if (keys.length === 0) return emptySlot
  const key = pairKey(first, second)
  const mask = keys.length - 1
  for (let slot = slotOf(key, mask); ; slot = (slot + 1) & mask) {
    const row = rows[slot] ?? emptySlot
    if (row === emptySlot || keys[slot] === key) return row
  }
}

/** Pieces are fewer than 32,768, so two fit one key. */
export function pairKey(first: number, second: number): number {
  return (first << 15) | second
}

/** FNV-1a over all fields but the last, which holds it. */
export function checkHeader(header: Uint32Array): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < headerFields - 1; index++) hash = Math.imul(hash ^ (header[index] ?? 0), 0x01000193)
  return hash >>> 0
}

/** FNV-1a over the rows, 32 bits at a time: every training run has its own mark. */
export function markOf(rows: Uint8Array): number {
  const words = new Uint32Array(rows.buffer, rows.byteOffset, rows.byteLength >> 2)
  let hash = 0x811c9dc5
  for (const word of words) hash = Math.imul(hash ^ word, 0x01000193)
  return hash >>> 0
}

function take(part: { at: number }, bytes: number): number {
  const start = part.at
  part.at += bytes
  return start
}

function fill(file: number, into: Uint8Array, position: number): boolean {
  for (let done = 0; done < into.length; ) {
    const read = readSync(file, into, done, into.length - done, position + done)
    if (read === 0) return false
    done += read
  }
  return true
}
