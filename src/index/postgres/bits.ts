import { dimensions } from "../index-store.ts"
import { wordsPerVector } from "../quantize.ts"

/** One bit a dimension, whether it is above zero, as PostgreSQL writes a bit string. */
export function bitString(vector: ArrayLike<number>): string {
  let bits = ""
  for (let at = 0; at < dimensions; at++) bits += (vector[at] as number) > 0 ? "1" : "0"
  return bits
}

/** The same as words of 32 bits, in which they are compared. */
export function packBits(bits: string): Int32Array {
  const words = new Int32Array(wordsPerVector)
  for (let at = 0; at < dimensions; at++) if (bits.charCodeAt(at) === 49) (words[at >> 5] as number) |= 1 << (at & 31)
  return words
}
