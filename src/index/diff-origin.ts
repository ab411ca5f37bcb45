import type { Item } from "./item.ts"
import { type HashedItem, hashItem } from "./item-rows.ts"

/** What the index holds of an item, as much as comparing needs. */
export type OldRow = {
  row: number
  id: string
  position: number
  line: number
  words_hash: string
  body_hash: string
  rest_hash: string
}

/** An item in its place. */
export type Placed = HashedItem & { position: number }

export type OriginDiff = {
  /** Only moved within the origin. */
  shifted: (Placed & { row: number })[]
  /** The same words, but something else about it changed. */
  restated: (Placed & { row: number })[]
  reworded: (Placed & { row: number })[]
  vanished: OldRow[]
  appeared: Placed[]
}

/**
 * Compares what an origin held with what it holds now, item by item; items that did not change at all are in no list.
 */
export function diffOrigin(old: OldRow[], items: Item[]): OriginDiff {
  const diff: OriginDiff = { shifted: [], restated: [], reworded: [], vanished: [], appeared: [] }
  const byId = new Map<string, OldRow[]>()
  for (const row of old) byId.set(row.id, [...(byId.get(row.id) ?? []), row])
  items.forEach((item, position) => {
    const placed = { ...hashItem(item), position }
    const before = byId.get(placed.item.id)?.shift() // an id that stands twice is told apart by its order
    if (!before) diff.appeared.push(placed)
    else if (before.words_hash !== placed.words) diff.reworded.push({ ...placed, row: before.row })
    else if (before.rest_hash !== placed.rest) diff.restated.push({ ...placed, row: before.row })
    else if (before.position !== position || before.line !== item.line)
      diff.shifted.push({ ...placed, row: before.row })
  })
  for (const rows of byId.values()) diff.vanished.push(...rows)
  return diff
}
