import { setImmediate as giveWay } from "node:timers/promises"
import type { RunQuery } from "../../disk/postgres/driver.ts"
import { numberArray } from "../../disk/postgres/sql.ts"
import { dimensions } from "../index-store.ts"
import { hammingDistances } from "../packed-bits.ts"
import { wordsPerVector } from "../quantization.ts"

/** The centres of a space's buckets, one after the other; the first belongs to bucket 1. */
export type Centres = Int32Array

/** Smaller spaces are scanned whole. */
export const leastForBuckets = 8000
/** Vectors per bucket, so that the few buckets searched have some thousand. */
const usualSize = 500
const mostBuckets = 512
/** The size of the sample for finding centres, and the number of rounds that move them. */
const sampleSize = 8000
const rounds = 5
/** After this many vectors, other work in this process gets a turn. */
const atOnce = 1000

export async function readCentres(ask: RunQuery, spaces: readonly number[]): Promise<Map<number, Centres>> {
  const { rows } = await ask("SELECT space, centres FROM buckets WHERE space = ANY ($1::integer[])", [
    numberArray(spaces),
  ])
  return new Map(rows.map(({ space, centres }) => [Number(space), toCentres(centres as Uint8Array)]))
}

export function toCentres(stored: Uint8Array): Centres {
  return new Int32Array(stored.slice().buffer) // a copy is aligned to words
}

/** The numbers of the buckets with the nearest centres, nearest first. */
export function nearestCentres(centres: Centres, bits: Int32Array, most: number): number[] {
  const count = centres.length / wordsPerVector
  const distances = new Uint16Array(count)
  hammingDistances(centres, bits, count, distances)
  return Array.from({ length: count }, (_, at) => at)
    .sort((one, other) => (distances[one] as number) - (distances[other] as number) || one - other)
    .slice(0, most)
    .map((at) => at + 1)
}

/** The bucket of the nearest centre for each vector, yielding to other work in between. */
async function bucketsOf(centres: Centres, vectors: readonly Int32Array[]): Promise<Int32Array> {
  const count = centres.length / wordsPerVector
  const distances = new Uint16Array(count)
  const buckets = new Int32Array(vectors.length)
  for (const [number, bits] of vectors.entries()) {
    if (number % atOnce === atOnce - 1) await giveWay()
    hammingDistances(centres, bits, count, distances)
    let nearest = 0
    for (let at = 1; at < count; at++) if ((distances[at] as number) < (distances[nearest] as number)) nearest = at
    buckets[number] = nearest + 1
  }
  return buckets
}

/**
 * Clusters vectors by similarity: the centres start as a sample, then repeatedly become the majority bits of their
 * nearest vectors. Deterministic for the same vectors.
 */
async function makeCentres(sample: readonly Int32Array[], count: number): Promise<Centres> {
  const centres = new Int32Array(count * wordsPerVector)
  for (let bucket = 0; bucket < count; bucket++)
    centres.set(sample[Math.floor((bucket * sample.length) / count)] as Int32Array, bucket * wordsPerVector)
  for (let round = 0; round < rounds; round++) {
    const buckets = await bucketsOf(centres, sample)
    const ones = new Int32Array(count * dimensions)
    const sizes = new Int32Array(count)
    for (const [number, bits] of sample.entries()) {
      const bucket = (buckets[number] as number) - 1
      ;(sizes[bucket] as number)++
      for (let bit = 0; bit < dimensions; bit++)
        (ones[bucket * dimensions + bit] as number) += ((bits[bit >> 5] as number) >>> (bit & 31)) & 1
    }
    for (let bucket = 0; bucket < count; bucket++) {
      if (sizes[bucket] === 0) continue // no vector is near it: it is not moved
      for (let word = 0; word < wordsPerVector; word++) {
        let bits = 0
        for (let bit = 0; bit < 32; bit++) {
          const isMost = (ones[bucket * dimensions + word * 32 + bit] as number) * 2 > (sizes[bucket] as number)
          bits |= Number(isMost) << bit
        }
        centres[bucket * wordsPerVector + word] = bits
      }
    }
  }
  return centres
}

/** Spaces that have grown too large to scan, or for their buckets. */
export async function spacesToSort(ask: RunQuery): Promise<number[]> {
  const { rows } = await ask(
    `SELECT sizes.space FROM (SELECT space, count(*) AS size FROM memory_bits GROUP BY space) AS sizes LEFT JOIN buckets USING (space)
     WHERE size >= $1 AND (made_from IS NULL OR size > made_from * 2) ORDER BY sizes.space`,
    [leastForBuckets],
  )
  return rows.map(({ space }) => Number(space))
}

/** Sorts the vectors of a space into buckets. Concurrent searches still find the same memories. */
export async function sortIntoBuckets(
  ask: RunQuery,
  space: number,
  now: string,
  { bucketSize = usualSize }: { bucketSize?: number } = {},
): Promise<number> {
  const { rows } = await ask("SELECT row_no, bits FROM memory_bits WHERE space = $1 ORDER BY row_no", [space])
  const vectors = rows.map(({ row_no, bits }) => ({ row: Number(row_no), bits: packBits(String(bits)) }))
  const count = Math.max(1, Math.min(mostBuckets, Math.round(vectors.length / bucketSize)))
  const every = Math.max(1, Math.floor(vectors.length / sampleSize))
  const centres = await makeCentres(
    vectors.filter((_, at) => at % every === 0).map(({ bits }) => bits),
    count,
  )
  const buckets = await bucketsOf(
    centres,
    vectors.map(({ bits }) => bits),
  )
  await ask(
    `UPDATE memory_bits SET bucket = given.bucket FROM unnest($2::integer[], $3::integer[]) AS given (row_no, bucket)
     WHERE memory_bits.space = $1 AND memory_bits.row_no = given.row_no AND memory_bits.bucket <> given.bucket`,
    [space, numberArray(vectors.map(({ row }) => row)), numberArray(buckets)],
  )
  await ask(
    `INSERT INTO buckets (space, centres, made_from, made_at) VALUES ($1, $2, $3, $4)
     ON CONFLICT (tenant_id, space) DO UPDATE SET centres = excluded.centres, made_from = excluded.made_from, made_at = excluded.made_at`,
    [space, new Uint8Array(centres.buffer), vectors.length, now],
  )
  return count
}

/** One bit per dimension (above zero or not), as PostgreSQL writes a bit string. */
export function bitString(vector: ArrayLike<number>): string {
  let bits = ""
  for (let at = 0; at < dimensions; at++) bits += (vector[at] as number) > 0 ? "1" : "0"
  return bits
}

/** The same as 32-bit words, for comparing. */
export function packBits(bits: string): Int32Array {
  const words = new Int32Array(wordsPerVector)
  for (let at = 0; at < dimensions; at++) if (bits.charCodeAt(at) === 49) (words[at >> 5] as number) |= 1 << (at & 31)
  return words
}
