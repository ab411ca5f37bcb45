import { type EntrySource, entrySources } from "../../formats/entry-source.ts"
import type { StoredItem } from "../../index/index-store.ts"
import { collectEntries, type Selection, type StoreEntry, selectEntries } from "../../team/team-entries.ts"
import { readPayload } from "../payload.ts"
import type { RecallParts } from "../recall-parts.ts"

/** The entries that match a query, newest first, as in the files; but taken from the index, so that no file is read. */
export async function listEntries(parts: RecallParts, selection: Selection): Promise<StoreEntry[]> {
  const now = parts.now()
  const everything = { agent: "*", superseded: true, archived: true, sources: [...entrySources] }
  const items = await parts.index.select(everything, { now: now.getTime() })
  // All of them: conflicting ids and replacements are visible only in the whole store.
  return selectEntries(collectEntries(items.sort(byPlace).flatMap(toEntry)), selection, now)
}

function toEntry(item: StoredItem): StoreEntry[] {
  const payload = readPayload(item)
  if (payload.kind !== "entry") return []
  return [{ ...payload.read, path: item.path, source: item.source as EntrySource, supersededBy: item.supersededBy }]
}

/** The order in which an entry counts first: `.squad` before `.ai-team`, then as files are listed. */
function byPlace(one: StoredItem, other: StoredItem): number {
  return (
    Number(one.path.startsWith(".ai-team/")) - Number(other.path.startsWith(".ai-team/")) ||
    entrySources.indexOf(one.source as EntrySource) - entrySources.indexOf(other.source as EntrySource) ||
    (one.path < other.path ? -1 : one.path > other.path ? 1 : one.position - other.position)
  )
}

/**
 * Items that may be handed out and belong to this repository, with a version that differs after every change. A memory for every project
 * of its owner may name things in another repository.
 */
export async function listNamingItems({ index, now }: RecallParts): Promise<{ version: string; items: StoredItem[] }> {
  const items = await index.select({ agent: "*", not: { sources: ["session", "docs"] } }, { now: now().getTime() })
  return {
    version: String(await index.version()),
    items: items.filter(isAboutRepository),
  }
}

export function isAboutRepository({ source, scope }: Pick<StoredItem, "source" | "scope">): boolean {
  return source !== "learned" || scope !== "global"
}
