/** How much the second of each pair grows with the first, by least squares; pairs of different groups are not compared. */
export function fitSlope(groups: readonly (readonly [number, number])[][]): number {
  let products = 0
  let squares = 0
  for (const pairs of groups) {
    const [meanX, meanY] = [mean(pairs.map(([x]) => x)), mean(pairs.map(([, y]) => y))]
    for (const [x, y] of pairs) {
      products += (x - meanX) * (y - meanY)
      squares += (x - meanX) ** 2
    }
  }
  return squares === 0 ? 0 : products / squares
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
}
