import { dimensions } from "./index-store.ts"
import { wordsPerVector } from "./quantize.ts"

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
export function nearestPlaces(
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
export function furthestOf(counts: Uint32Array, most: number): number {
  let furthest = 0
  for (let total = counts[0] as number; furthest < dimensions && total < most; ) total += counts[++furthest] as number
  return furthest
}

export function placesByDistance(places: number[], distances: Uint16Array): number[] {
  return places.sort((one, other) => (distances[one] as number) - (distances[other] as number) || one - other)
}
