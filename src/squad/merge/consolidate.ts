import type { Entry } from "../../formats/entry.ts"
import { derivedId } from "../../formats/entry-id.ts"
import { normalizeEntry } from "../../formats/normalize-entry.ts"
import { instantOf, timestampFromDate } from "../../formats/timestamp.ts"
import type { Comparable, NearDuplicate } from "./near-duplicates.ts"

export type Consolidation = { entry: Entry; id: string; originals: string[] }

/** Combines each group of near-duplicates into one entry with all authors, texts and rationales; it supersedes its originals. */
export function consolidate(pairs: readonly NearDuplicate[], items: readonly Comparable[], now: Date): Consolidation[] {
  const byId = new Map(items.map((item) => [item.id, item]))
  return groupsOf(pairs).map((ids, index) => {
    const group = ids
      .flatMap((id) => byId.get(id) ?? [])
      .sort((one, other) => instantOf(other.entry.timestamp) - instantOf(one.entry.timestamp))
    const [newest] = group as [Comparable]
    const names = [...new Set(group.flatMap(({ entry }) => [entry.author, ...entry.contributors]))]
    const entry = normalizeEntry({
      type: newest.entry.type,
      timestamp: timestampFromDate(new Date(now.getTime() + index * 1000)),
      author: newest.entry.author,
      contributors: names.filter((name) => name !== newest.entry.author),
      title: `${newest.entry.title.replace(/ \(consolidated\)$/, "").slice(0, 105)} (consolidated)`,
      summary: newest.entry.summary,
      scope: newest.entry.scope,
      tags: group.flatMap((item) => item.entry.tags),
      details: group
        .map(({ entry: own }) => `#### ${own.title} — ${own.author}\n\n${own.details ?? own.summary}`)
        .join("\n\n"),
      rationale: [...new Set(group.flatMap(({ entry: own }) => own.rationale ?? []))].join("\n\n"),
      related: group.flatMap((item) => item.entry.related),
      supersedes: group.map(({ id }) => id),
    })
    return { entry, id: derivedId(entry), originals: group.map(({ id }) => id) }
  })
}

/** Groups pairs transitively. */
function groupsOf(pairs: readonly NearDuplicate[]): string[][] {
  const groups: Set<string>[] = []
  for (const { one, other } of pairs) {
    const touching = groups.filter((group) => group.has(one) || group.has(other))
    const united = new Set([...touching.flatMap((group) => [...group]), one, other])
    for (const group of touching) groups.splice(groups.indexOf(group), 1)
    groups.push(united)
  }
  return groups.map((group) => [...group])
}
