/** How near two vectors of unit length are: their cosine. */
export function likeness(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0)
}
