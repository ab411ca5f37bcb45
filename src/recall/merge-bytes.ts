import { noRank, type TokenTable } from "./token-table.ts"

/** How many tokens are left of a piece when the neighbours that stand first in the table are joined, until none can be. */
export function mergeBytes(table: TokenTable, bytes: Uint8Array): number {
  if (table.rankOf(bytes, 0, bytes.length) !== noRank) return 1
  if (bytes.length > longest) return bytes.length

  // Part i reaches from starts[i] to starts[i + 1]; ranks[i] is what joining it with the next part would make.
  const starts: number[] = []
  const ranks: number[] = []
  for (let start = 0; start <= bytes.length; start++) {
    starts.push(start)
    ranks.push(start + 2 <= bytes.length ? table.rankOf(bytes, start, start + 2) : noRank)
  }
  const join = (part: number): number => {
    const end = starts[part + 2]
    return end === undefined ? noRank : table.rankOf(bytes, starts[part] ?? 0, end)
  }

  for (;;) {
    let first = noRank
    let part = -1
    for (let index = 0; index < ranks.length; index++) {
      const rank = ranks[index] ?? noRank
      if (rank >= first) continue
      first = rank
      part = index
    }
    if (part < 0) return starts.length - 1
    starts.splice(part + 1, 1)
    ranks.splice(part, 1)
    ranks[part] = join(part)
    if (part > 0) ranks[part - 1] = join(part - 1)
  }
}

/** The time grows with the square of the length, so a longer run, which prose does not have, is counted by its bytes. */
const longest = 512
