import type { Ask } from "../../disk/postgres/driver.ts"
import { bytesPerVector, distanceOf, packBits } from "./bits.ts"

/** The centres of a space's buckets, one after the other; the first belongs to bucket 1. */
export type Centres = Uint8Array

/** Below this a space is looked through whole. */
export const leastForBuckets = 8000
/** So many vectors in a bucket, so that the few that are looked at hold some thousand. */
const usualSize = 500
const mostBuckets = 512
/** So many are looked at to find the centres, and so often they are moved. */
const sampleSize = 8000
const rounds = 5

export async function readCentres(ask: Ask, spaces: readonly number[]): Promise<Map<number, Centres>> {
  const { rows } = await ask("SELECT space, centres FROM buckets WHERE space = ANY ($1::integer[])", [
    `{${spaces.join(",")}}`,
  ])
  return new Map(rows.map(({ space, centres }) => [Number(space), centres as Uint8Array]))
}

/** The numbers of the buckets whose centres are nearest, nearest first. */
export function nearestCentres(centres: Centres, bits: Uint8Array, most: number): number[] {
  const distances = Array.from({ length: centres.length / bytesPerVector }, (_, at) => ({
    bucket: at + 1,
    distance: distanceOf(bits, centres.subarray(at * bytesPerVector, (at + 1) * bytesPerVector)),
  }))
  return distances
    .sort((one, other) => one.distance - other.distance || one.bucket - other.bucket)
    .slice(0, most)
    .map(({ bucket }) => bucket)
}

/**
 * Groups vectors by likeness: centres are those of a sample at first, and then again and again the bits that most of their nearest have.
 * The same vectors give the same centres.
 */
export function makeCentres(sample: readonly Uint8Array[], count: number): Centres {
  const step = sample.length / count
  const centres = Uint8Array.from(
    Array.from({ length: count }, (_, at) => [...(sample[Math.floor(at * step)] as Uint8Array)]).flat(),
  )
  for (let round = 0; round < rounds; round++) {
    const ones = new Int32Array(count * bytesPerVector * 8)
    const sizes = new Int32Array(count)
    for (const bits of sample) {
      const bucket = (nearestCentres(centres, bits, 1)[0] ?? 1) - 1
      ;(sizes[bucket] as number)++
      for (let at = 0; at < bytesPerVector * 8; at++)
        if (((bits[at >> 3] as number) & (128 >> (at & 7))) !== 0) (ones[bucket * bytesPerVector * 8 + at] as number)++
    }
    for (let bucket = 0; bucket < count; bucket++) {
      if (sizes[bucket] === 0) continue // nobody is near it: it stays where it is
      const bits = Array.from({ length: bytesPerVector * 8 }, (_, at) =>
        (ones[bucket * bytesPerVector * 8 + at] as number) * 2 > (sizes[bucket] as number) ? "1" : "0",
      )
      centres.set(packBits(bits.join("")), bucket * bytesPerVector)
    }
  }
  return centres
}

/** Spaces that have outgrown being looked through, or their buckets. */
export async function spacesToSort(ask: Ask): Promise<number[]> {
  const { rows } = await ask(
    `SELECT sizes.space FROM (SELECT space, count(*) AS size FROM memory_bits GROUP BY space) AS sizes LEFT JOIN buckets USING (space)
     WHERE size >= $1 AND (made_from IS NULL OR size > made_from * 2) ORDER BY sizes.space`,
    [leastForBuckets],
  )
  return rows.map(({ space }) => Number(space))
}

/** Sorts the vectors of a space into buckets. Whoever searches meanwhile finds what he found before. */
export async function sortIntoBuckets(
  ask: Ask,
  space: number,
  now: string,
  { bucketSize = usualSize }: { bucketSize?: number } = {},
): Promise<number> {
  const { rows } = await ask("SELECT row_no, bits FROM memory_bits WHERE space = $1 ORDER BY row_no", [space])
  const vectors = rows.map(({ row_no, bits }) => ({ row: Number(row_no), bits: packBits(String(bits)) }))
  const count = Math.max(1, Math.min(mostBuckets, Math.round(vectors.length / bucketSize)))
  const every = Math.max(1, Math.floor(vectors.length / sampleSize))
  const centres = makeCentres(
    vectors.filter((_, at) => at % every === 0).map(({ bits }) => bits),
    count,
  )
  const buckets = vectors.map(({ bits }) => nearestCentres(centres, bits, 1)[0] ?? 0)
  await ask(
    `UPDATE memory_bits SET bucket = given.bucket FROM unnest($2::integer[], $3::integer[]) AS given (row_no, bucket)
     WHERE memory_bits.space = $1 AND memory_bits.row_no = given.row_no AND memory_bits.bucket <> given.bucket`,
    [space, `{${vectors.map(({ row }) => row).join(",")}}`, `{${buckets.join(",")}}`],
  )
  await ask(
    `INSERT INTO buckets (space, centres, made_from, made_at) VALUES ($1, $2, $3, $4)
     ON CONFLICT (tenant_id, space) DO UPDATE SET centres = excluded.centres, made_from = excluded.made_from, made_at = excluded.made_at`,
    [space, centres, vectors.length, now],
  )
  return count
}
