import type { StoredItem } from "../index/index-store.ts"

/** Tells whether an item was seen before: a session's note stands in two files when its archiving was cut short. */
export function copyTest(): (item: Pick<StoredItem, "source" | "id">) => boolean {
  const seen = new Set<string>()
  return ({ source, id }) => {
    if (source !== "session") return false
    const isCopy = seen.has(id)
    seen.add(id)
    return isCopy
  }
}
