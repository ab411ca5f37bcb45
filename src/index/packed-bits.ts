import { dimensions } from "./index-store.ts"
import { nearestWasm } from "./nearest-wasm.ts"
import { wordsPerVector } from "./quantization.ts"

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
