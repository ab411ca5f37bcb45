/** Mean reciprocal rank of each query's own target among all targets; all vectors of unit length. */
export function meanReciprocalRank(queries: Float32Array[], targets: Float32Array[]): number {
  const ranks = queries.map((query, own) => {
    const likeness = targets.map((target) => dot(query, target))
    return likeness.filter((value) => value >= (likeness[own] ?? 0)).length
  })
  return meanOf(ranks.map((rank) => 1 / rank))
}

/** Mean cosine of vectors and what they imitate. */
export function meanCosine(vectors: Float32Array[], targets: Float32Array[]): number {
  return meanOf(vectors.map((vector, index) => dot(vector, targets[index] ?? new Float32Array(vector.length))))
}

function dot(left: Float32Array, right: Float32Array): number {
  let sum = 0
  for (let index = 0; index < left.length; index++) sum += (left[index] as number) * (right[index] as number)
  return sum
}

function meanOf(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
