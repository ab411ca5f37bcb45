/** Turns texts into vectors of unit length; vectors of one id may be compared with one another. */
export type Embedder = {
  id: string
  dimensions: number
  embed(texts: string[]): Promise<Float32Array[]>
}

/** The space that the static table and the projected MiniLM share. */
export const sharedSpace = { id: "minilm-pca256-v1", dimensions: 256 }

/** Makes a vector unit length in place; a vector of zeros stays as it is. */
export function toUnitLength(vector: Float32Array): Float32Array {
  let square = 0
  for (let index = 0; index < vector.length; index++) square += (vector[index] as number) ** 2
  if (square === 0) return vector
  const scale = 1 / Math.sqrt(square)
  for (let index = 0; index < vector.length; index++) vector[index] = (vector[index] ?? 0) * scale
  return vector
}
