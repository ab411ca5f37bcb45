import type { Database } from "../disk/sqlite.ts"
import { dimensions, type Model } from "./index-store.ts"
import { nearestWasm } from "./nearest-wasm.ts"
import { wordsPerVector, writeBits } from "./quantization.ts"

/** The bits of every passage of a model, with the row that each belongs to; 0 marks a free place. */
export type PackedBits = {
  count: number
  owners: Int32Array
  bits: Int32Array
  /**
   * The places of the `most` that differ least from the query (a few more at the last distance), nearest first, among
   * those with allowed owners.
   */
  nearest(query: Int32Array, most: number, allowed?: (owner: number) => boolean): number[]
}

/**
 * Room for this many passages; with WebAssembly SIMD in its memory, which a new process searches in a tenth of the
 * time.
 */
export function packedBits(count: number): PackedBits {
  return bitsInModule(count) ?? plainBits(count)
}

/** The same in plain JavaScript. */
export function plainBits(count: number): PackedBits {
  const owners = new Int32Array(count)
  const bits = new Int32Array(count * wordsPerVector)
  return {
    count,
    owners,
    bits,
    nearest(query, most, allowed) {
      const distances = new Uint16Array(count)
      hammingDistances(bits, query, count, distances)
      return nearestPlaces(distances, owners, count, most, allowed)
    },
  }
}

const pageBytes = 65536

function bitsInModule(count: number): PackedBits | undefined {
  const { WebAssembly } = globalThis as { WebAssembly?: Engine }
  if (!WebAssembly || count === 0) return undefined
  const code = Buffer.from(nearestWasm, "base64")
  if (!WebAssembly.validate(code)) return undefined // this processor has no SIMD
  const bitsAt = memoryPlan.free
  const ownersAt = bitsAt + count * wordsPerVector * 4
  const placesAt = ownersAt + count * 4
  const distancesAt = placesAt + count * 4
  const distancesEnd = distancesAt + count * 2
  const memory = new WebAssembly.Memory({ initial: Math.ceil(distancesEnd / pageBytes) })
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(code), { drey: { memory } })
  const { buffer } = memory
  const owners = new Int32Array(buffer, ownersAt, count)
  const places = new Int32Array(buffer, placesAt, count)
  const distances = new Uint16Array(buffer, distancesAt, count)
  const counts = new Uint32Array(buffer, memoryPlan.counts, dimensions + 1)
  return {
    count,
    owners,
    bits: new Int32Array(buffer, bitsAt, count * wordsPerVector),
    nearest(query, most, allowed) {
      new Int32Array(buffer, memoryPlan.query, wordsPerVector).set(query)
      counts.fill(0)
      exports.measure(bitsAt, ownersAt, distancesAt, distancesEnd)
      if (allowed) return nearestPlaces(distances, owners, count, most, allowed)
      const placesEnd = exports.collect(ownersAt, distancesAt, distancesEnd, furthestOf(counts, most), placesAt)
      return placesByDistance(Array.from(places.subarray(0, (placesEnd - placesAt) / 4)), distances)
    },
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
    exports: {
      measure(bits: number, owners: number, distances: number, end: number): void
      collect(owners: number, distances: number, end: number, furthest: number, places: number): number
    }
  }
}

/** Addresses in the memory of nearest.wat: the query's 32 bytes, and the number of passages at each of the 257 distances. */
const memoryPlan = { query: 0, counts: 32, free: 32 + 257 * 4 + 12 }

/** The number of bits in which each packed vector differs from the query, written to `distances`. */
export function hammingDistances(bits: Int32Array, query: Int32Array, count: number, distances: Uint16Array): void {
  // Local variables, and all eight words at once: V8 keeps them in registers. A byte counts up to 8 per word, so 8
  // words
  // fit in one sum.
  const [q0, q1, q2, q3, q4, q5, q6, q7] = query as unknown as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  for (let number = 0, at = 0; number < count; number++, at += wordsPerVector) {
    const sum =
      pairInBytes((bits[at] as number) ^ q0, (bits[at + 1] as number) ^ q1) +
      pairInBytes((bits[at + 2] as number) ^ q2, (bits[at + 3] as number) ^ q3) +
      pairInBytes((bits[at + 4] as number) ^ q4, (bits[at + 5] as number) ^ q5) +
      pairInBytes((bits[at + 6] as number) ^ q6, (bits[at + 7] as number) ^ q7)
    const halves = (sum & 0x00ff00ff) + ((sum >>> 8) & 0x00ff00ff)
    distances[number] = (halves & 0xffff) + (halves >>> 16)
  }
}

/** The number of bits set in each byte of both words together: at most 16, so four pairs fit. */
function pairInBytes(one: number, other: number): number {
  const oneInTwos = one - ((one >>> 1) & 0x55555555)
  const otherInTwos = other - ((other >>> 1) & 0x55555555)
  const inFours =
    (oneInTwos & 0x33333333) +
    ((oneInTwos >>> 2) & 0x33333333) +
    (otherInTwos & 0x33333333) +
    ((otherInTwos >>> 2) & 0x33333333)
  return (inFours & 0x0f0f0f0f) + ((inFours >>> 4) & 0x0f0f0f0f)
}

/**
 * The places of the `most` smallest distances (a few more at the last distance), nearest first, among those that
 * `owners` and `allowed` permit.
 */
function nearestPlaces(
  distances: Uint16Array,
  owners: Int32Array,
  count: number,
  most: number,
  allowed?: (owner: number) => boolean,
): number[] {
  const counts = new Uint32Array(dimensions + 1)
  for (let place = 0; place < count; place++) {
    const owner = owners[place] as number
    if (owner !== 0 && (!allowed || allowed(owner))) (counts[distances[place] as number] as number)++
  }
  const furthest = furthestOf(counts, most)
  const places: number[] = []
  for (let place = 0; place < count; place++) {
    if ((distances[place] as number) > furthest) continue
    const owner = owners[place] as number
    if (owner !== 0 && (!allowed || allowed(owner))) places.push(place)
  }
  return placesByDistance(places, distances)
}

/** The smallest distance within which there are `most` places, from the count at each distance. */
function furthestOf(counts: Uint32Array, most: number): number {
  let furthest = 0
  for (let total = counts[0] as number; furthest < dimensions && total < most; ) total += counts[++furthest] as number
  return furthest
}

function placesByDistance(places: number[], distances: Uint16Array): number[] {
  return places.sort((one, other) => (distances[one] as number) - (distances[other] as number) || one - other)
}

/** How many passages share one block: 32 bytes of bits and 4 of owner each. */
const blockSize = 1024

type BlockRow = { number: number; owners: Uint8Array; bits: Uint8Array }

/** Keeps the bits in memory and re-reads only blocks written since; `writes` is the snapshot's write counter. */
export function bitReader(database: Database, model: Model): (writes: number) => PackedBits {
  let known = -1
  let packed = packedBits(0)
  return (writes) => {
    if (writes === known) return packed
    const { last } = database
      .prepare<{ last: number }>(`SELECT coalesce(max(number), -1) AS last FROM ${model}_blocks`)
      .get() ?? { last: -1 }
    const count = (last + 1) * blockSize
    if (count < packed.count) known = -1 // rebuilt: nothing of the old can be reused
    if (count !== packed.count) packed = resized(known < 0 ? undefined : packed, count)
    const changed = database.prepare<BlockRow>(`SELECT number, owners, bits FROM ${model}_blocks WHERE version > ?`)
    for (const { number, owners, bits } of changed.all(known)) {
      packed.owners.set(asWords(owners), number * blockSize)
      packed.bits.set(asWords(bits), number * blockSize * wordsPerVector)
    }
    known = writes
    return packed
  }
}

function resized(old: PackedBits | undefined, count: number): PackedBits {
  const packed = packedBits(count)
  if (old) {
    packed.owners.set(old.owners)
    packed.bits.set(old.bits)
  }
  return packed
}

export function asWords(bytes: Uint8Array): Int32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice()
  return new Int32Array(aligned.buffer, aligned.byteOffset, aligned.length / 4)
}

type OpenBlock = { used: number; owners: Int32Array; bits: Int32Array }

type BlockWriter = {
  /** Assigns places to a row's vectors and returns them. */
  put(row: number, vectors: Float32Array[]): Int32Array
  free(places: Int32Array): void
  /** Writes the blocks that changed. */
  flush(version: number): void
}

/**
 * Changes blocks within one transaction: each is read and written once, and free places are reused before a block is
 * added.
 */
export function blockWriter(database: Database, model: Model): BlockWriter {
  const table = `${model}_blocks`
  const opened = new Map<number, OpenBlock>()
  const usedOf = new Map(
    database
      .prepare<{ number: number; used: number }>(`SELECT number, used FROM ${table}`)
      .all()
      .map(({ number, used }) => [number, used]),
  )
  let current = 0

  const open = (number: number): OpenBlock => {
    const known = opened.get(number)
    if (known) return known
    const stored = database
      .prepare<{ used: number; owners: Uint8Array; bits: Uint8Array }>(
        `SELECT used, owners, bits FROM ${table} WHERE number = ?`,
      )
      .get(number)
    const block = stored
      ? { used: stored.used, owners: asWords(stored.owners).slice(), bits: asWords(stored.bits).slice() }
      : { used: 0, owners: new Int32Array(blockSize), bits: new Int32Array(blockSize * wordsPerVector) }
    opened.set(number, block)
    return block
  }

  const takePlace = (): number => {
    while ((usedOf.get(current) ?? 0) >= blockSize) current++
    const block = open(current)
    const index = block.owners[block.used] === 0 ? block.used : block.owners.indexOf(0)
    block.used++
    usedOf.set(current, block.used)
    return current * blockSize + index
  }

  return {
    put: (row, vectors) =>
      Int32Array.from(vectors, (vector) => {
        const place = takePlace()
        const block = open(Math.floor(place / blockSize))
        block.owners[place % blockSize] = row
        writeBits(vector, block.bits, place % blockSize)
        return place
      }),
    free(places) {
      for (const place of places) {
        const number = Math.floor(place / blockSize)
        const block = open(number)
        block.owners[place % blockSize] = 0
        block.bits.fill(0, (place % blockSize) * wordsPerVector, ((place % blockSize) + 1) * wordsPerVector)
        block.used--
        usedOf.set(number, block.used)
        current = Math.min(current, number)
      }
    },
    flush(version) {
      const write = database.prepare(
        `INSERT OR REPLACE INTO ${table} (number, version, used, owners, bits) VALUES (?, ?, ?, ?, ?)`,
      )
      for (const [number, { used, owners, bits }] of opened)
        write.run(number, version, used, asBytes(owners), asBytes(bits))
    },
  }
}

export function asBytes(array: Int32Array | Int8Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
}
