import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs"
import { Decompress } from "fzstd"
import { sha256 } from "../../disk/hash.ts"
import { lineSplitter } from "../../disk/lines.ts"
import { codeOf, fileError } from "../../disk/text-files.ts"
import type { Position, TranscriptEvent } from "../../formats/client-events.ts"
import type { Batch, Transcript } from "../client.ts"
import { type JsonObject, objectOf } from "../json-value.ts"

/** How to read one client's lines. */
export type LineFormat = {
  /** Starts empty, or with the `carried` state of an earlier reading. */
  open(transcript: Transcript, carried: string): LineReader
  /** Whether a line can be skipped unparsed, by its bytes: this is most of a transcript. */
  isIdle?(line: Buffer): boolean
}

export type LineReader = {
  take(record: JsonObject, line: number): Taken
  /** State for the next reading, as JSON. */
  carry(): string
}

/** The events of a record, or the name of an unknown kind. */
export type Taken = TranscriptEvent[] | { unknown: string }

/** A chunk of text, and its size in the file. */
type FileChunk = { bytes: Buffer; fileBytes: number; isDamaged?: boolean }

/** No message is this long; longer lines are skipped to bound memory use. */
const longestLine = 32 * 1024 * 1024

/**
 * Streams a file of JSON lines from a position on, one batch per chunk. A missing file yields nothing; one that cannot
 * be opened throws a `DreyError`.
 */
export async function* readLines(
  transcript: Transcript,
  from: Position | undefined,
  format: LineFormat,
): AsyncGenerator<Batch> {
  const file = openToRead(transcript.path)
  if (file === undefined) return
  try {
    const { handle, stats } = file
    const isPacked = transcript.path.endsWith(".zst")
    if (from?.stamp === stampOf(stats, whole)) return
    const start = continues(from, handle, stats, isPacked) ? from : undefined
    const splitter = lineSplitter(longestLine, start)
    const reader = format.open(transcript, start?.carried ?? "")
    const positionNow = (isWhole = false): Position => {
      const { offset, line } = splitter.position()
      const tail = isPacked ? (isWhole ? whole : undefined) : tailOf(handle, offset)
      return { offset, line, stamp: stampOf(stats, tail), carried: reader.carry() }
    }

    const pieces = isPacked
      ? readPacked(handle, start?.offset ?? 0)
      : readPieces(handle, start?.offset ?? 0, Math.min(pieceBytes, stats.size + 1))
    for (const piece of pieces) {
      const before = splitter.position().offset
      const found = emptyBatch()
      splitter.push(piece.bytes, (line, number) => takeLine(line, number, format, reader, found))
      if (piece.isDamaged) count(found.unknown, "unreadable")
      if (splitter.position().offset > before || piece.isDamaged)
        yield { ...found, bytes: piece.fileBytes, position: positionNow() }
    }

    const last = emptyBatch()
    const unended = parseUnended(splitter.rest())
    if (unended !== undefined) {
      takeRecord(unended, splitter.position().line + 1, reader, last)
      splitter.takeRest()
    }
    if (unended !== undefined || isPacked) yield { ...last, bytes: 0, position: positionNow(isPacked) }
  } finally {
    closeSync(file.handle)
  }
}

type Found = Pick<Batch, "events" | "records" | "unknown">

function emptyBatch(): Found {
  return { events: [], records: 0, unknown: {} }
}

function takeLine(
  line: Buffer | undefined,
  number: number,
  format: LineFormat,
  reader: LineReader,
  found: Found,
): void {
  if (line !== undefined && isBlank(line)) return
  if (line !== undefined && format.isIdle?.(line)) {
    found.records++
    return
  }
  const record = parseRecord(line)
  if (record === undefined) count(found.unknown, "unreadable")
  else takeRecord(record, number, reader, found)
}

function takeRecord(record: JsonObject, number: number, reader: LineReader, found: Found): void {
  found.records++
  const taken = reader.take(record, number)
  if (Array.isArray(taken)) for (const event of taken) found.events.push(event)
  else count(found.unknown, taken.unknown)
}

function parseRecord(line: Buffer | undefined): JsonObject | undefined {
  if (line === undefined) return undefined
  const text = line.toString("utf8")
  try {
    return objectOf(JSON.parse(text.startsWith("\ufeff") ? text.slice(1) : text))
  } catch {
    return undefined // counted by the caller, or still being written
  }
}

const closingBrace = 0x7d

/** The text after the last line break may be a whole record: the client may be about to write the line break. */
function parseUnended(rest: Buffer | undefined): JsonObject | undefined {
  return rest?.at(-1) === closingBrace ? parseRecord(rest) : undefined
}

function isBlank(line: Buffer): boolean {
  return line.length === 0 || (line.length === 1 && line[0] === 0x0d)
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1
}

function openToRead(path: string): { handle: number; stats: Stats } | undefined {
  let handle: number
  try {
    handle = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK) // opening a pipe must not wait for its writer
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined // removed since it was found
    throw fileError(path, error)
  }
  const stats = fstatSync(handle)
  if (stats.isFile()) return { handle, stats }
  closeSync(handle)
  return undefined
}

/** Whether a position is still valid: the same file, at most appended to. Compressed files are never appended to. */
function continues(from: Position | undefined, handle: number, stats: Stats, isPacked: boolean): boolean {
  if (from === undefined) return false
  const [inode, size, tail] = from.stamp.split(":")
  if (Number(inode) !== stats.ino || size === undefined) return false
  if (isPacked) return Number(size) === stats.size
  if (Number(size) > stats.size || from.offset > stats.size) return false
  return tail === undefined || tail === tailOf(handle, from.offset)
}

/** `tail` distinguishes a file that was appended to from one that was rewritten and is longer. */
function stampOf(stats: Stats, tail?: string): string {
  return [stats.ino, stats.size, ...(tail === undefined ? [] : [tail])].join(":")
}

const tailBytes = 256 // the end of a record, usually its time or id

function tailOf(handle: number, offset: number): string {
  const bytes = Buffer.alloc(Math.min(tailBytes, offset))
  readSync(handle, bytes, 0, bytes.length, offset - bytes.length)
  return sha256(bytes).slice(0, 16)
}

/** Marks a compressed file that was read to its end, where the offset in its text does not show it. */
const whole = "whole"

/**
 * Twice as much uses over 250 MB of memory for a file of a gigabyte. Short files get less: many large buffers trigger
 * the garbage collector.
 */
const pieceBytes = 2 * 1024 * 1024
/** Compressed text expands about tenfold. */
const packedPieceBytes = 64 * 1024

function readPacked(handle: number, skip: number): Iterable<FileChunk> {
  return unpackZstd(readPieces(handle, 0, packedPieceBytes), skip)
}

/** Enough to see which project a transcript belongs to: others need not be read further. */
const firstBytes = 16 * 1024

/** The bytes of a chunk are overwritten by the next. */
function* readPieces(handle: number, from: number, size: number): Generator<FileChunk> {
  const buffer = Buffer.allocUnsafe(size)
  for (let at = from; ; ) {
    const length = readSync(handle, buffer, 0, at === 0 ? Math.min(size, firstBytes) : size, at)
    if (length === 0) return
    yield { bytes: buffer.subarray(0, length), fileBytes: length }
    at += length
  }
}

/** Decompresses Zstandard as a stream, without the first `skip` bytes of the text, up to any damage. */
function* unpackZstd(packed: Iterable<FileChunk>, skip: number): Generator<FileChunk> {
  let unpacked: Uint8Array[] = []
  let left = skip
  const stream = new Decompress((chunk) => {
    if (chunk.length > left) unpacked.push(chunk.subarray(left))
    left = Math.max(0, left - chunk.length)
  })
  for (const { bytes, fileBytes } of packed) {
    const isDamaged = !unpacks(stream, Buffer.from(bytes)) // a copy: the stream keeps bytes that it cannot use yet
    yield { bytes: Buffer.concat(unpacked), fileBytes, isDamaged }
    if (isDamaged) return
    unpacked = []
  }
}

function unpacks(stream: Decompress, bytes: Buffer): boolean {
  try {
    stream.push(bytes)
    return true
  } catch {
    return false // damaged: the text before it is read, and the damage is counted
  }
}
