import type { Entry } from "../../formats/entry.ts"
import { isPermanentTag } from "../archive/standing.ts"

/** Whether an entry is tagged as permanent, so that it is never archived. */
export function isPinned({ tags }: Pick<Entry, "tags">): boolean {
  return tags.some(isPermanentTag)
}

export function withPin(entry: Entry, pinned: boolean): Entry {
  if (isPinned(entry) === pinned) return entry
  return { ...entry, tags: pinned ? [...entry.tags, "permanent"] : entry.tags.filter((tag) => !isPermanentTag(tag)) }
}
