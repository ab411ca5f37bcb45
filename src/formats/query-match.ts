import type { Entry } from "./entry.ts"
import { isFileMeant, pathsIn } from "./file-paths.ts"
import type { Query, QueryFilter, QueryKey, SearchTerm } from "./query.ts"
import { relatedKey, relatedKeys } from "./related-keys.ts"
import { collapseWhiteSpace, nameKey } from "./source-text.ts"
import { instantOf, parseDuration } from "./timestamp.ts"

/** An entry as a query sees it; `text` is searched as well, for words the entry's own fields do not hold. */
export type QueryItem = { entry: Entry; id: string; source: string; superseded: boolean; text?: string }

/**
 * What the filters of a query compare; names, tags, scope and id as `nameKey` returns them. An undated item is neither after nor before
 * anything.
 */
export type Filterable = {
  type: string
  names: readonly string[]
  tags: readonly string[]
  scope: string
  source: string
  /** As `relatedKeys` gives them. */
  related: readonly string[]
  id: string
  status: ItemStatus
  at: number | undefined
  /** What it says; the files it names are found there. */
  text(): string
  session?: string
  client?: string
}

export function matchesQuery(query: Query, item: QueryItem, now: Date): boolean {
  return (
    (query.filters.length === 0 || filterTest(query.filters, now)(toFilterable(item, now))) &&
    matchesTerms(query.terms, item)
  )
}

function toFilterable({ entry, id, source, superseded }: QueryItem, now: Date): Filterable {
  return {
    type: entry.type,
    names: [entry.author, ...entry.contributors].map(nameKey),
    tags: entry.tags.map(nameKey),
    scope: nameKey(entry.scope),
    source: nameKey(source),
    related: relatedKeys(entry.related),
    id: nameKey(id),
    status: statusOfEntry(entry, source, superseded, now),
    at: instantOf(entry.timestamp),
    text: () => [entry.title, entry.summary, entry.details, entry.rationale].join("\n"),
  }
}

/** Something has one of each of these, so several filters mean any of them; of the other keys all must hold. */
const anyWillDo: ReadonlySet<QueryKey> = new Set([
  "type",
  "author",
  "scope",
  "source",
  "status",
  "id",
  "session",
  "client",
])

/** Tests one item after the other against the filters, which are parsed once. */
export function filterTest(filters: readonly QueryFilter[], now: Date): (item: Filterable) => boolean {
  const tests = filters.map((filter) => ({ ...filter, holds: testOf(filter, now) }))
  const wanted = tests.filter(({ negated }) => !negated)
  const excluded = tests.filter(({ negated }) => negated)
  const groups = wanted.map((filter) =>
    anyWillDo.has(filter.key) ? wanted.filter(({ key }) => key === filter.key) : [filter],
  )
  return (item) =>
    groups.every((group) => group.some(({ holds }) => holds(item))) && !excluded.some(({ holds }) => holds(item))
}

function testOf({ key, value }: QueryFilter, now: Date): (item: Filterable) => boolean {
  const name = nameKey(value)
  switch (key) {
    case "type":
      return ({ type }) => type === value
    case "author":
      return ({ names }) => names.includes(name)
    case "tag":
      return ({ tags }) => tags.includes(name)
    case "scope":
      return ({ scope }) => scope === name
    case "source":
      return ({ source }) => source === name
    case "status": {
      const statuses = statusesNamed(value)
      return ({ status }) => statuses.includes(status)
    }
    case "related": {
      const wanted = relatedKey(value)
      return ({ related }) => related.includes(wanted)
    }
    case "file":
      return ({ text }) => pathsIn(text()).some((path) => isFileMeant(path, value))
    case "session":
      return ({ session }) => session?.startsWith(value) === true
    case "client":
      return ({ client }) => client === value
    case "id":
      return ({ id }) => id === name
    case "after":
      return isAfter(instantOf(value))
    case "before": {
      const end = instantOf(value)
      return ({ at }) => at !== undefined && at < end
    }
    case "recent":
      return isAfter(now.getTime() - (parseDuration(value) ?? 0))
  }
}

function isAfter(start: number): (item: Filterable) => boolean {
  return ({ at }) => at !== undefined && at >= start
}

function matchesTerms(terms: SearchTerm[], item: QueryItem): boolean {
  if (terms.length === 0) return true
  const { title, summary, details, rationale, tags, author, related } = item.entry
  const fields = [
    title,
    summary,
    details,
    rationale,
    ...tags,
    author,
    ...related.map(({ identifier }) => identifier),
    item.text,
  ]
  // folded text has no line breaks, so a phrase never runs from one field into the next
  const searched = fields.map((field) => foldText(field ?? "")).join("\n")
  return terms.every((term) => searched.includes(foldText(term.text)) !== term.negated)
}

/** Text without case, accents and line breaks, for finding: "Café" and "cafe" fold to the same. */
export function foldText(text: string): string {
  const withoutAccents = text.normalize("NFD").replace(/[\u0300-\u036f]/g, "")
  return collapseWhiteSpace(withoutAccents.normalize("NFC").toLowerCase())
}

/** The status of an item: of the team's entries, of learned memories (`on trial`, `proven`, `ended`), of session notes. */
export const itemStatuses = [
  "in force",
  "proposed",
  "superseded",
  "expired",
  "archived",
  "on trial",
  "proven",
  "ended",
  "noted",
] as const
export type ItemStatus = (typeof itemStatuses)[number]

/** As written in a query, without quotes; the last two are older names. */
export const queryStatuses = [...itemStatuses.map((status) => status.replace(" ", "-")), "active", "review-due"]

/** What a status in a query matches: `active` is anything neither replaced nor ended. */
export function statusesNamed(name: string): readonly ItemStatus[] {
  if (name === "active") return itemStatuses.filter((status) => status !== "superseded" && status !== "ended")
  if (name === "review-due") return ["expired"]
  return itemStatuses.filter((status) => status.replace(" ", "-") === name)
}

/** An expired entry is active until it has been reviewed. */
export function statusOfEntry(entry: Entry, source: string, superseded: boolean, now: Date): ItemStatus {
  if (superseded) return "superseded"
  if (source === "archive") return "archived"
  if (entry.expires !== undefined && instantOf(entry.expires) <= now.getTime()) return "expired"
  return source === "inbox" ? "proposed" : "in force"
}
