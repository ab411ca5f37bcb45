import type { Item } from "./item.ts"
import { type HashedItem, hashItem } from "./item-rows.ts"

/** A stored item, as far as comparing needs it. */
export type OldRow = {
  row: number
  id: string
  position: number
  line: number
  words_hash: string
  body_hash: string
  rest_hash: string
}

/** An item with its position. */
export type Placed = HashedItem & { position: number }

export type OriginDiff = {
  /** Only moved within the origin. */
  shifted: (Placed & { row: number })[]
  /** The same text, but other fields changed. */
  restated: (Placed & { row: number })[]
  reworded: (Placed & { row: number })[]
  vanished: OldRow[]
  appeared: Placed[]
}

/** Compares the stored items of an origin with its current ones; unchanged items are in no list. */
export function diffOrigin(old: OldRow[], items: Item[]): OriginDiff {
  const diff: OriginDiff = { shifted: [], restated: [], reworded: [], vanished: [], appeared: [] }
  const byId = new Map<string, OldRow[]>()
  for (const row of old) byId.set(row.id, [...(byId.get(row.id) ?? []), row])
  items.forEach((item, position) => {
    const placed = { ...hashItem(item), position }
    const before = byId.get(placed.item.id)?.shift() // duplicate ids are matched by their order
    if (!before) diff.appeared.push(placed)
    else if (before.words_hash !== placed.words) diff.reworded.push({ ...placed, row: before.row })
    else if (before.rest_hash !== placed.rest) diff.restated.push({ ...placed, row: before.row })
    else if (before.position !== position || before.line !== item.line)
      diff.shifted.push({ ...placed, row: before.row })
  })
  for (const rows of byId.values()) diff.vanished.push(...rows)
  return diff
}
