import type { IndexReader, StoredItem } from "../index/index-store.ts"

/** Which items replaced which. */
export type Succession = {
  /** The ids that replaced an item directly. */
  successorsOf(id: string): string[]
  /** The ids that currently replace an item: the ends of all its chains; its own id if nothing replaced it. */
  currentOf(id: string): string[]
}

/** Follows the links of items to their ends. With `asOf`, later replacements are ignored. */
export async function readSuccession(index: IndexReader, ids: readonly string[], asOf?: number): Promise<Succession> {
  const known = new Map<string, StoredItem>()
  let wanted = [...new Set(ids)]
  while (wanted.length > 0) {
    const items = await index.items(wanted)
    for (const item of items) known.set(item.id, item)
    wanted = [...new Set(items.flatMap(({ supersededBy }) => supersededBy))].filter((id) => !known.has(id))
  }
  const wasThere = (id: string) => {
    const item = known.get(id)
    return item !== undefined && (asOf === undefined || item.at === undefined || item.at <= asOf)
  }
  const successorsOf = (id: string) => known.get(id)?.supersededBy.filter(wasThere) ?? []
  const endsOf = (id: string, passed: Set<string>): string[] => {
    if (passed.has(id)) return []
    passed.add(id)
    const successors = successorsOf(id)
    return successors.length === 0 ? [id] : successors.flatMap((next) => endsOf(next, passed))
  }
  return { successorsOf, currentOf: (id) => endsOf(id, new Set()) }
}
