import type { Filter } from "./index-store.ts"

/**
 * Learned memories have their own rows, from this number on. Entries and memories are searched separately, and one kind
 * may far outnumber the other: row ranges find either kind without reading the other.
 */
export const firstLearnedRow = 2 ** 30

const lastRow = 2 ** 31 - 1

/** The first and last row of everything that a filter allows. */
export function rowsOf({ sources, not }: Filter): [first: number, last: number] {
  if (sources?.every((source) => source === "learned")) return [firstLearnedRow, lastRow]
  const isWithout = not?.sources?.includes("learned") || sources?.includes("learned") === false
  return isWithout ? [1, firstLearnedRow - 1] : [1, lastRow]
}
