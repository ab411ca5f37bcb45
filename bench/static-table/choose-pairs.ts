/** How many pairs at most, and how often each must have been seen. */
export type PairLimits = { most: number; fewest: number }

const leastSurprise = 3 // e³: twenty times as often as chance

/**
 * Neighbouring pieces that occur together far more often than by chance, the most significant first: they get their own rows.
 * Pairs that grammar alone brings together ("of the") made the table worse.
 */
export function choosePairs(
  texts: number[][],
  isWord: (piece: number) => boolean,
  limits: PairLimits,
): [number, number][] {
  const singles = new Map<number, number>()
  const pairs = new Map<number, number>()
  let total = 0
  for (const pieces of texts) {
    pieces.forEach((piece, index) => {
      total++
      count(singles, piece)
      const next = pieces[index + 1]
      if (next !== undefined && isWord(piece) && isWord(next)) count(pairs, piece * 65536 + next)
    })
  }
  return [...pairs]
    .filter(([, times]) => times >= limits.fewest)
    .map(([key, times]) => {
      const pair: [number, number] = [Math.floor(key / 65536), key % 65536]
      const expected = ((singles.get(pair[0]) ?? 1) * (singles.get(pair[1]) ?? 1)) / total
      return { pair, times, surprise: Math.log(times / expected) }
    })
    .filter(({ surprise }) => surprise >= leastSurprise)
    .sort((left, right) => right.times * right.surprise - left.times * left.surprise)
    .slice(0, limits.most)
    .map(({ pair }) => pair)
}

/** The rows a text adds up: its pieces, then the pairs among them. */
export function rowsOf(pieces: number[], pairRow: (first: number, second: number) => number | undefined): Uint16Array {
  const rows = [...pieces]
  for (let index = 0; index + 1 < pieces.length; index++) {
    const row = pairRow(pieces[index] ?? 0, pieces[index + 1] ?? 0)
    if (row !== undefined) rows.push(row)
  }
  return Uint16Array.from(rows)
}

function count(counts: Map<number, number>, key: number): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
