import type { Item } from "../item.ts"

/** A memory, read once for everything that a request needs of it. */
export type LoadedMemory = { row: number; item: Item; key: string | null; embedding: Uint8Array | null }

/** By row number, in any order; removed memories and those of other teams are left out. */
export type LoadMemories = (rows: readonly number[]) => Promise<LoadedMemory[]>

/** All memories have one origin… */
export const memoriesOrigin = "memories"

/** …in which no two of them are neighbours. */
export function positionOf(row: number): number {
  return row * 10
}
