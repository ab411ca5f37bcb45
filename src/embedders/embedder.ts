/** Embeds texts as vectors of unit length; vectors with the same id are comparable. */
export type Embedder = {
  id: string
  dimensions: number
  embed(texts: string[]): Promise<Float32Array[]>
}

/** The vector space shared by the static table and the projected MiniLM. */
export const sharedSpace = { id: "minilm-pca256-v1", dimensions: 256 }

/** Normalizes a vector in place; a zero vector is unchanged. */
export function toUnitLength(vector: Float32Array): Float32Array {
  let square = 0
  for (let index = 0; index < vector.length; index++) square += (vector[index] as number) ** 2
  if (square === 0) return vector
  const scale = 1 / Math.sqrt(square)
  for (let index = 0; index < vector.length; index++) vector[index] = (vector[index] ?? 0) * scale
  return vector
}
