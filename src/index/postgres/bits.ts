import { dimensions } from "../index-store.ts"

/** One bit a dimension, whether it is above zero, as PostgreSQL writes a bit string. */
export function bitString(vector: ArrayLike<number>): string {
  let bits = ""
  for (let at = 0; at < dimensions; at++) bits += (vector[at] as number) > 0 ? "1" : "0"
  return bits
}

export const bytesPerVector = dimensions / 8

/** The same as bytes, the first bit highest. */
export function packBits(bits: string): Uint8Array {
  const bytes = new Uint8Array(bytesPerVector)
  for (let at = 0; at < dimensions; at++) if (bits[at] === "1") (bytes[at >> 3] as number) |= 128 >> (at & 7)
  return bytes
}

const bitsOfByte = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll("0", "").length)

/** In how many bits two of them differ. */
export function distanceOf(one: Uint8Array, other: Uint8Array): number {
  let distance = 0
  for (let at = 0; at < bytesPerVector; at++)
    distance += bitsOfByte[(one[at] as number) ^ (other[at] as number)] as number
  return distance
}
