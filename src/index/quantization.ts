import { dimensions } from "./index-store.ts"

/** Vectors as stored in a row: one byte per dimension, each vector with its own scale, one after the other. */
export function quantize(vectors: Float32Array[]): Int8Array {
  const bytes = new Int8Array(vectors.length * dimensions)
  vectors.forEach((vector, number) => {
    let largest = 0
    for (let at = 0; at < dimensions; at++) largest = Math.max(largest, Math.abs(vector[at] as number))
    if (!(largest > 0)) return
    const scale = 127 / largest
    const start = number * dimensions
    for (let at = 0; at < dimensions; at++) bytes[start + at] = (((vector[at] as number) * scale + 128.5) | 0) - 128 // Math.round takes four times as long
  })
  return bytes
}

/** The cosines between a vector of unit length and each vector of a row, one for every passage. */
export function passageCosines(query: Float32Array, stored: Uint8Array): number[] {
  const bytes = new Int8Array(stored.buffer, stored.byteOffset, stored.length)
  const cosines: number[] = []
  for (let start = 0; start < bytes.length; start += dimensions) {
    let product = 0
    let square = 0
    for (let at = 0; at < dimensions; at++) {
      const value = bytes[start + at] as number
      product += (query[at] as number) * value
      square += value * value
    }
    cosines.push(square === 0 ? 0 : product / Math.sqrt(square))
  }
  return cosines
}

/**
 * An item's similarity from the cosines of its passages: the nearest, moved a third of the way to the first, which
 * introduces the whole; measured better than either alone. Undefined without passages.
 */
export function likenessOf(cosines: readonly number[] | undefined): number | undefined {
  const [first] = cosines ?? []
  return cosines === undefined || first === undefined ? undefined : (2 * Math.max(...cosines) + first) / 3
}

export const wordsPerVector = dimensions / 32

/** One bit per dimension: whether it is above zero. */
export function writeBits(vector: Float32Array, target: Int32Array, place: number): void {
  for (let word = 0; word < wordsPerVector; word++) {
    let bits = 0
    for (let bit = 0; bit < 32; bit++) bits |= Number((vector[word * 32 + bit] as number) > 0) << bit
    target[place * wordsPerVector + word] = bits
  }
}
