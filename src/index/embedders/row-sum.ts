import type { TableFile } from "./table-file.ts"

/** Adds rows to a sum, one after the other, in 32-bit floats: every implementation gives bit-identical results. */
export type SumRows = (rows: Int32Array, count: number, sum: Float32Array) => void

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

export function addRow(sum: Float32Array, bytes: Uint8Array, at: number): void {
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
  const code = sumRowsModule(table.dimensions)
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
      addRows(list.byteOffset, list.byteOffset + length * 4)
    }
    sum.set(total)
  }
}

/** The part of the WebAssembly API used here: the types of Node and ECMAScript lack it. */
type Engine = {
  validate(code: Uint8Array): boolean
  Memory: new (pages: { initial: number }) => { buffer: ArrayBuffer }
  Module: new (code: Uint8Array) => object
  Instance: new (module: object, imports: object) => { exports: { addRows(list: number, end: number): void } }
}

/** The module processes this many dimensions at a time; a table's must be a multiple of it. */
const columnsAtOnce = 32
const lanes = 4
const accumulators = columnsAtOnce / lanes

/**
 * A WebAssembly module with one function, for a sum at address 0 and a list of the addresses of rows:
 *
 *     for (column = 0; column < dimensions; column += 32) {
 *       load the sum's 32 columns into eight accumulators
 *       for (item = list; item != end; item += 4) {
 *         row = load(item); scale = load(row) in all lanes; row += column
 *         for each 8 bytes after the scale: widen to two times four integers, to floats, times scale, add
 *       }
 *       store the eight accumulators
 *     }
 */
function sumRowsModule(dimensions: number): Uint8Array {
  const [list, end, column, item, row, scale, eight, firstSum] = [0, 1, 2, 3, 4, 5, 6, 7]
  const sums = Array.from({ length: accumulators }, (_, index) => firstSum + index)
  const get = (local: number) => [0x20, local]
  const set = (local: number) => [0x21, local]
  const constant = (value: number) => [0x41, ...signed(value)]
  const add = 0x6a
  const multiply = 0x6c
  const simd = (operation: number) => [0xfd, ...unsigned(operation)]
  const load = (operation: number, offset: number) => [...simd(operation), 0, ...unsigned(offset)] // no alignment is guaranteed
  const [vectorLoad, load8x8, loadToAllLanes, vectorStore] = [0x00, 0x01, 0x09, 0x0b]
  const [widenLow, widenHigh, toFloat, floatMultiply, floatAdd] = [0xa7, 0xa8, 0xfa, 0xe6, 0xe4].map(simd)

  const addEight = (offset: number, low: number) => [
    ...[...get(row), ...load(load8x8, 4 + offset), ...set(eight)],
    ...[widenLow, widenHigh].flatMap((widen, half) => [
      ...[...get(low + half), ...get(eight), ...(widen ?? []), ...(toFloat ?? [])],
      ...[...get(scale), ...(floatMultiply ?? []), ...(floatAdd ?? []), ...set(low + half)],
    ]),
  ]
  const sumAddress = [...get(column), ...constant(4), multiply]
  const body = [
    ...[0x03, 0x40], // loop over the columns
    ...sums.flatMap((sum, index) => [...sumAddress, ...load(vectorLoad, index * 16), ...set(sum)]),
    ...[...get(list), ...set(item)],
    ...[0x02, 0x40, 0x03, 0x40], // a block to exit, and the loop over the rows
    ...[...get(item), ...get(end), 0x46, 0x0d, 1], // at the end: exit the block
    ...[...get(item), 0x28, 2, 0, ...set(row), ...get(row), ...load(loadToAllLanes, 0), ...set(scale)],
    ...[...get(row), ...get(column), add, ...set(row)],
    ...[0, 1, 2, 3].flatMap((part) => addEight(part * 8, firstSum + part * 2)),
    ...[...get(item), ...constant(4), add, ...set(item), 0x0c, 0],
    ...[0x0b, 0x0b],
    ...sums.flatMap((sum, index) => [...sumAddress, ...get(sum), ...load(vectorStore, index * 16)]),
    ...[...get(column), ...constant(columnsAtOnce), add, ...set(column)],
    ...[...get(column), ...constant(dimensions), 0x48, 0x0d, 0],
    ...[0x0b, 0x0b],
  ]
  const [integer, vector] = [0x7f, 0x7b]
  const locals = [2, 3, integer, 2 + accumulators, vector]
  return new Uint8Array([
    ...[0, ...text("asm"), 1, 0, 0, 0],
    ...section(1, [1, 0x60, 2, integer, integer, 0]), // a function of two integers without a result
    ...section(2, [1, ...named("drey"), ...named("memory"), 2, 0, 1]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...named("addRows"), 0, 0]),
    ...section(10, [1, ...unsigned(locals.length + body.length), ...locals, ...body]),
  ])
}

function section(id: number, content: number[]): number[] {
  return [id, ...unsigned(content.length), ...content]
}

function named(name: string): number[] {
  return [name.length, ...text(name)]
}

function text(ascii: string): number[] {
  return Array.from(ascii, (character) => character.charCodeAt(0))
}

/** LEB128, as WebAssembly writes numbers. */
function unsigned(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >>> 7)]
}

function signed(value: number): number[] {
  return value < 64 ? [value] : [(value & 127) | 128, ...signed(value >> 7)]
}
