/** The cosine similarity of two vectors of unit length. */
export function likeness(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0)
}
