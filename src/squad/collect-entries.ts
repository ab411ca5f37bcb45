import { bodyHash } from "../formats/entry-id.ts"
import type { ReadEntry } from "../formats/read-entries.ts"
import type { EntrySource } from "./list-files.ts"

/** An entry with its file and the entries that supersede it. */
export type StoreEntry = ReadEntry & { path: string; source: EntrySource; supersededBy: string[] }

/**
 * Combines the entries of all files, in order of precedence. An entry whose id occurs in an earlier file gets a suffix, as
 * within one file; a copy in `.ai-team` is dropped.
 */
export function collectEntries(entries: Iterable<StoreEntry>): StoreEntry[] {
  const kept: StoreEntry[] = []
  const first = new Map<string, StoreEntry>()
  for (const entry of entries) {
    const earlier = first.get(entry.id)
    if (!earlier) first.set(entry.id, entry)
    else if (earlier.path !== entry.path) {
      const own = bodyHash(entry.entry)
      const isCopy = own === bodyHash(earlier.entry)
      if (isCopy && entry.path.startsWith(".ai-team/") && earlier.path.startsWith(".squad/")) continue
      if (!isCopy && entry.entry.id === undefined) entry.id = `${entry.id}-${own.slice(0, 4)}`
    }
    kept.push(entry)
  }
  return kept
}
