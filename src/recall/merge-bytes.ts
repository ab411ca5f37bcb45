import { noRank, type TokenTable } from "./token-table.ts"

/** How many tokens are left of a piece when the neighbours that stand first in the table are joined, until none can be. */
export function mergeBytes(table: TokenTable, bytes: Uint8Array): number {
  const length = bytes.length
  if (table.rankOf(bytes, 0, length) !== noRank) return 1
  if (length > longest) return length

  // Part i reaches from starts[i] to starts[i + 1]; ranks[i] is what joining it with the next part would make.
  for (let start = 0; start <= length; start++) {
    starts[start] = start
    ranks[start] = start + 2 <= length ? table.rankOf(bytes, start, start + 2) : noRank
  }
  for (let parts = length; ; ) {
    const part = firstOf(parts)
    if (part < 0) return parts
    starts.copyWithin(part + 1, part + 2, parts + 1)
    ranks.copyWithin(part, part + 1, parts + 1)
    parts--
    for (let joined = Math.max(0, part - 1); joined <= part; joined++) {
      const end = joined + 2 <= parts ? (starts[joined + 2] as number) : -1
      ranks[joined] = end < 0 ? noRank : table.rankOf(bytes, starts[joined] as number, end)
    }
  }
}

/** The time grows with the square of the length, so a longer run, which prose does not have, is counted by its bytes. */
const longest = 512

/** Of the piece at hand; made once, since a text has many. */
const starts = new Int32Array(longest + 1)
const ranks = new Int32Array(longest + 1)

/** The part whose joining with the next stands first in the table, or −1. */
function firstOf(parts: number): number {
  let first = noRank
  let part = -1
  for (let index = 0; index < parts; index++) {
    const rank = ranks[index] as number
    if (rank >= first) continue
    first = rank
    part = index
  }
  return part
}
