import type { Filter } from "./index-store.ts"

/**
 * Learned memories have rows of their own, from this number on. Entries and memories are asked for apart, and there may
 * be many times as many of the one as of the other: by their rows either kind is found without looking at the other.
 */
export const firstLearnedRow = 2 ** 30

const lastRow = 2 ** 31 - 1

/** The rows, first and last, in which all that a filter lets through stands. */
export function rowsOf({ sources, not }: Filter): [first: number, last: number] {
  if (sources?.every((source) => source === "learned")) return [firstLearnedRow, lastRow]
  const isWithout = not?.sources?.includes("learned") || sources?.includes("learned") === false
  return isWithout ? [1, firstLearnedRow - 1] : [1, lastRow]
}
