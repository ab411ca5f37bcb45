/** The candidate a mistyped word most likely stands for; undefined when none is near. */
export function didYouMean(word: string, candidates: readonly string[]): string | undefined {
  const typed = word.toLowerCase()
  let nearest: string | undefined
  let least = Math.min(2, Math.max(1, Math.floor(typed.length / 2))) + 1
  for (const candidate of candidates) {
    const distance = editDistance(typed, candidate.toLowerCase(), least)
    if (distance < least) [nearest, least] = [candidate, distance]
  }
  return nearest
}

/** Letters to insert, remove, replace or swap with their neighbour; `limit` stands for that many or more. */
function editDistance(one: string, other: string, limit: number): number {
  if (Math.abs(one.length - other.length) >= limit) return limit
  let beforeLast: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let row = 1; row <= one.length; row++) {
    const current = [row]
    for (let column = 1; column <= other.length; column++) {
      const same = one[row - 1] === other[column - 1]
      const replaced = (last[column - 1] ?? 0) + (same ? 0 : 1)
      let distance = Math.min((last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, replaced)
      const swapped = row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      if (swapped) distance = Math.min(distance, (beforeLast[column - 2] ?? 0) + 1)
      current.push(distance)
    }
    beforeLast = last
    last = current
  }
  return last[other.length] ?? 0
}
