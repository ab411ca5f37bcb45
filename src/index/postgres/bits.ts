import { dimensions } from "../index-store.ts"
import { wordsPerVector } from "../quantize.ts"

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
