import { furthestOf, hammingDistances, nearestPlaces, placesByDistance } from "./hamming.ts"
import { dimensions } from "./index-store.ts"
import { memoryPlan, nearestModule } from "./nearest-module.ts"
import { wordsPerVector } from "./quantize.ts"

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
  const code = nearestModule()
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
