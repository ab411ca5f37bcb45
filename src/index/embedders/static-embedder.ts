import { join } from "node:path"
import { type Embedder, findAssets, sharedSpace, toUnitLength } from "./embedder.ts"
import { rowSumWasm } from "./row-sum-wasm.ts"
import { openTable, pairRowOf, type TableFile } from "./table-file.ts"
import { emptySlot, endOfWord, pushPieces, toPlainText } from "./word-pieces.ts"

/** The table of word-piece vectors: embeds in microseconds, without a model. */
export type StaticEmbedder = Embedder & {
  embedNow(text: string): Float32Array
  close(): void
}

export type StaticOutcome = { kind: "ready"; embedder: StaticEmbedder } | { kind: "unavailable"; reason: string }

/** Opens the shipped table, or another one. Rows are read one by one; after some thousand the whole table is loaded. */
export function openStaticEmbedder(options: { path?: string; whole?: boolean } = {}): StaticOutcome {
  const path = options.path ?? shippedTable()
  if (path === undefined) return { kind: "unavailable", reason: "the files shipped with Drey were not found" }
  const opened = openTable(path)
  if (opened.kind === "unusable") return { kind: "unavailable", reason: opened.reason }
  const { table } = opened
  if (table.dimensions !== sharedSpace.dimensions) {
    table.close()
    return {
      kind: "unavailable",
      reason: `${path} has ${table.dimensions} dimensions instead of ${sharedSpace.dimensions}`,
    }
  }
  const sumRows = rowReader(table, options.whole === true)
  const listRows = rowLister(table)
  const embedNow = (text: string) => {
    const { rows, count } = listRows(text)
    const sum = new Float32Array(table.dimensions)
    sumRows(rows, count, sum)
    return toUnitLength(sum)
  }
  return {
    kind: "ready",
    embedder: {
      id: `static:${sharedSpace.id}:${table.mark.toString(16)}`,
      dimensions: table.dimensions,
      embedNow,
      embed: async (texts) => texts.map(embedNow),
      close: table.close,
    },
  }
}

function shippedTable(): string | undefined {
  const assets = findAssets()
  return assets && join(assets, `static-${sharedSpace.id}.bin`)
}

const readsBeforeLoading = 2000 // up to here, single reads cost less than the whole file

function rowReader(table: TableFile, whole: boolean): SumRows {
  let sumLoaded = whole ? sumLoadedRows(table) : undefined
  const single = new Uint8Array(table.rowBytes)
  let reads = 0
  return (rows, count, sum) => {
    reads += count
    if (reads > readsBeforeLoading) sumLoaded ??= sumLoadedRows(table)
    if (sumLoaded) return sumLoaded(rows, count, sum)
    for (let index = 0; index < count; index++) {
      table.readRow(rows[index] as number, single)
      addRow(sum, single, 0)
    }
  }
}

/** The rows whose sum is a text's vector: the first `count` of `rows`, overwritten by the next text. */
type ListedRows = { rows: Int32Array; count: number }

/** Lists the rows of a text's pieces; a pair of neighbours with its own row adds it between theirs. */
export function rowLister(table: TableFile): (text: string) => ListedRows {
  const words = knownWords(table)
  let rows = new Int32Array(512)
  return (text) => {
    const plain = toPlainText(text)
    if (rows.length < plain.length * 2) rows = new Int32Array(plain.length * 4)
    let count = 0
    for (let at = 0; at < plain.length; ) {
      const end = endOfWord(plain, at)
      if (end === at) {
        at++
        continue
      }
      const list = words.find(plain, at, end)
      if (count > 0) {
        const pair = pairRowOf(rows[count - 1] as number, words.lists[list + 1] as number, table.pairs)
        if (pair !== emptySlot) rows[count++] = pair
      }
      const last = list + (words.lists[list] as number)
      for (let index = list + 1; index <= last; index++) rows[count++] = words.lists[index] as number
      at = end
    }
    return { rows, count }
  }
}

const places = 1 << 14
const placeSize = 16 // two hashes, the number of rows, and up to 13 rows
const longestKnown = placeSize - 3
const longestList = 256 // for a word of 100 characters, each a piece with a pair

/**
 * Caches the rows of words, because texts repeat them. A word is identified by two hashes; on a collision the later
 * word wins.
 */
function knownWords(table: TableFile) {
  const lists = new Int32Array(places * placeSize + longestList)
  const unkept = places * placeSize
  const pieces: number[] = []
  return {
    /** At the index that `find` returns: the number of rows, then the rows. */
    lists,
    find(text: string, start: number, end: number): number {
      let one = 0x811c9dc5 | 0
      let other = 0x2545f491
      for (let at = start; at < end; at++) {
        const unit = text.charCodeAt(at)
        one = Math.imul(one ^ unit, 0x01000193)
        other = Math.imul(other ^ unit, 0x5bd1e995)
      }
      const place = ((one ^ (one >>> 15)) & (places - 1)) * placeSize
      if (lists[place] === one && lists[place + 1] === other && lists[place + 2] !== 0) return place + 2
      pieces.length = 0
      pushPieces(text, start, end, table.pieces, pieces)
      const length = withPairs(pieces, table, lists)
      const list = length <= longestKnown ? place + 2 : unkept
      if (list !== unkept) {
        lists[place] = one
        lists[place + 1] = other
        lists.copyWithin(list, unkept, unkept + length + 1)
      }
      return list
    },
  }

  /** Writes the list at the end of the table. */
  function withPairs(pieces: number[], { pairs }: TableFile, lists: Int32Array): number {
    let length = 0
    for (const [index, piece] of pieces.entries()) {
      const pair = index === 0 ? emptySlot : pairRowOf(pieces[index - 1] as number, piece, pairs)
      if (pair !== emptySlot) lists[unkept + ++length] = pair
      lists[unkept + ++length] = piece
    }
    lists[unkept] = length
    return length
  }
}

/** Adds rows to a sum, one after the other, in 32-bit floats: every implementation gives bit-identical results. */
type SumRows = (rows: Int32Array, count: number, sum: Float32Array) => void

/** Loads a whole table and sums its rows: four dimensions at a time with WebAssembly SIMD, in a tenth of the time. */
export function sumLoadedRows(table: TableFile): SumRows {
  return sumByModule(table) ?? sumRowsPlain(table)
}

/** The same in plain JavaScript. */
export function sumRowsPlain(table: TableFile): SumRows {
  const bytes = new Uint8Array(table.rowCount * table.rowBytes)
  table.loadRows(bytes)
  return (rows, count, sum) => {
    for (let index = 0; index < count; index++) addRow(sum, bytes, (rows[index] as number) * table.rowBytes)
  }
}

function addRow(sum: Float32Array, bytes: Uint8Array, at: number): void {
  const scale = new Float32Array(bytes.buffer, bytes.byteOffset + at, 1)[0] as number
  const values = new Int8Array(bytes.buffer, bytes.byteOffset + at + 4, sum.length)
  for (let index = 0; index < sum.length; index++)
    sum[index] = (sum[index] as number) + Math.fround(scale * (values[index] as number))
}

const mostAtOnce = 4096
const pageBytes = 65536

function sumByModule(table: TableFile): SumRows | undefined {
  const { WebAssembly } = globalThis as { WebAssembly?: Engine }
  if (!WebAssembly || table.dimensions % columnsAtOnce !== 0) return undefined
  const code = Buffer.from(rowSumWasm, "base64")
  if (!WebAssembly.validate(code)) return undefined // this processor has no SIMD
  const rowsAt = table.dimensions * 4 + mostAtOnce * 4
  const size = rowsAt + table.rowCount * table.rowBytes
  const memory = new WebAssembly.Memory({ initial: Math.ceil(size / pageBytes) })
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(code), { drey: { memory } })
  const { addRows } = exports
  const total = new Float32Array(memory.buffer, 0, table.dimensions)
  const list = new Int32Array(memory.buffer, table.dimensions * 4, mostAtOnce)
  table.loadRows(new Uint8Array(memory.buffer, rowsAt, table.rowCount * table.rowBytes))
  return (rows, count, sum) => {
    total.set(sum)
    for (let from = 0; from < count; from += mostAtOnce) {
      const length = Math.min(mostAtOnce, count - from)
      for (let index = 0; index < length; index++)
        list[index] = rowsAt + (rows[from + index] as number) * table.rowBytes
      addRows(list.byteOffset, list.byteOffset + length * 4, table.dimensions)
    }
    sum.set(total)
  }
}

/** The part of the WebAssembly API used here: the types of Node and ECMAScript lack it. */
type Engine = {
  validate(code: Uint8Array): boolean
  Memory: new (pages: { initial: number }) => { buffer: ArrayBuffer }
  Module: new (code: Uint8Array) => object
  Instance: new (
    module: object,
    imports: object,
  ) => {
    exports: { addRows(list: number, end: number, dimensions: number): void }
  }
}

/** row-sum.wat processes this many dimensions at a time; a table's must be a multiple of it. */
const columnsAtOnce = 32
