import type { Item } from "../item.ts"

/** A memory as it is read once for all that a request needs of it. */
export type LoadedMemory = { row: number; item: Item; key: string | null; embedding: Uint8Array | null }

/** By their numbers, in any order; what is gone, or is another team's, is left out. */
export type LoadMemories = (rows: readonly number[]) => Promise<LoadedMemory[]>

/** All memories come from one place… */
export const memoriesOrigin = "memories"

/** …in which no two of them are neighbours. */
export function positionOf(row: number): number {
  return row * 10
}
