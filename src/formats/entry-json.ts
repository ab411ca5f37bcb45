import { type Entry, titleLimit } from "./entry.ts"
import type { EntryJson } from "./entry-schema.ts"
import { omitUndefined } from "./objects.ts"
import { truncate } from "./text.ts"
import { parseTimestamp } from "./timestamp.ts"

/** The JSON form of an entry: RFC 3339 times, lists as arrays, empty values omitted. */
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
    ...omitUndefined({ details: entry.details, rationale: entry.rationale }),
    ...(entry.related.length === 0 ? {} : { related: entry.related }),
    ...listUnlessEmpty("supersedes", entry.supersedes),
    ...listUnlessEmpty("supersededBy", entry.supersededBy),
    ...omitUndefined({ expires: entry.expires, review: entry.review }),
    ...(extensions.length === 0 ? {} : { extensions: Object.fromEntries(extensions) }),
  }
}

/**
 * The same as the JSON Schema of SEM's own proposal wants it: tags as text, one `supersedes` and that a time, and nothing it has no name
 * for. Scopes keep to its letters, so that `agent:fact-checker` becomes `agent:fact_checker`. `timeOf` finds the time of an id.
 */
export function toSeedJson(entry: Entry, timeOf: (id: string) => string | undefined) {
  const supersedes = entry.supersedes.map((reference) => parseTimestamp(reference) ?? timeOf(reference)).find(Boolean)
  const related = entry.related.filter(({ type }) => seedRelations.has(type))
  const [kind = "", name] = entry.scope.split(":")
  return {
    type: entry.type,
    timestamp: entry.timestamp,
    author: entry.author,
    summary: truncate(entry.summary, titleLimit),
    scope: name === undefined ? kind : `${kind}:${name.replace(/\W/g, "_")}`,
    ...(entry.tags.length === 0 ? {} : { tags: entry.tags.join(", ") }),
    ...omitUndefined({ details: entry.details, rationale: entry.rationale }),
    ...(related.length === 0 ? {} : { related }),
    ...omitUndefined({ supersedes, expires: entry.expires }),
  }
}

const seedRelations = new Set(["proposal", "issue", "decision", "memory", "pr"])

function listUnlessEmpty<Name extends string>(name: Name, items: string[]): Partial<Record<Name, string[]>> {
  return items.length === 0 ? {} : ({ [name]: items } as Record<Name, string[]>)
}

/** An object has each name once: the values of a repeated field are on separate lines. */
function groupExtensions(entry: Entry): Record<string, string> {
  const grouped: Record<string, string> = {}
  for (const { name, value } of entry.extensions)
    grouped[name] = Object.hasOwn(grouped, name) ? `${grouped[name]}\n${value}` : value
  return grouped
}
