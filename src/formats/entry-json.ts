import type { Entry } from "./entry.ts"
import type { EntryJson } from "./entry-schema.ts"

/** The JSON form of an entry: RFC 3339 times, lists as arrays, what is empty left out. */
export function toEntryJson(entry: Entry, id: string): EntryJson & { id: string; title: string } {
  const extensions = Object.entries(groupExtensions(entry))
  return {
    id,
    type: entry.type,
    timestamp: entry.timestamp,
    ...(entry.precision === "day" ? { precision: "day" as const } : {}),
    author: entry.author,
    ...listUnlessEmpty("contributors", entry.contributors),
    title: entry.title,
    summary: entry.summary,
    scope: entry.scope,
    ...listUnlessEmpty("tags", entry.tags),
    ...(entry.details === undefined ? {} : { details: entry.details }),
    ...(entry.rationale === undefined ? {} : { rationale: entry.rationale }),
    ...(entry.related.length === 0 ? {} : { related: entry.related }),
    ...listUnlessEmpty("supersedes", entry.supersedes),
    ...listUnlessEmpty("supersededBy", entry.supersededBy),
    ...(entry.expires === undefined ? {} : { expires: entry.expires }),
    ...(entry.review === undefined ? {} : { review: entry.review }),
    ...(extensions.length === 0 ? {} : { extensions: Object.fromEntries(extensions) }),
  }
}

function listUnlessEmpty<Name extends string>(name: Name, items: string[]): Partial<Record<Name, string[]>> {
  return items.length === 0 ? {} : ({ [name]: items } as Record<Name, string[]>)
}

/** An object has a name once: the values of a repeated field stand on lines of their own. */
function groupExtensions(entry: Entry): Record<string, string> {
  const grouped: Record<string, string> = {}
  for (const { name, value } of entry.extensions)
    grouped[name] = Object.hasOwn(grouped, name) ? `${grouped[name]}\n${value}` : value
  return grouped
}
