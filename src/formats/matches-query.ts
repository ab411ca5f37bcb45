import type { Entry } from "./entry.ts"
import { parseDuration } from "./parse-duration.ts"
import type { Query, QueryFilter, QueryKey, QueryTerm } from "./query.ts"
import { sameScope } from "./scope.ts"
import { collapseWhiteSpace } from "./source-text.ts"
import { instantOf } from "./timestamp.ts"

/** An entry as a query sees it; `text` is searched as well, for words the entry's own fields do not hold. */
export type QueryItem = { entry: Entry; id: string; source: string; superseded: boolean; text?: string }

/** An entry has one of each of these, so several filters mean any of them; of the other keys all must hold. */
const anyWillDo: ReadonlySet<QueryKey> = new Set(["type", "author", "scope", "source", "status", "id"])

export function matchesQuery(query: Query, item: QueryItem, now: Date): boolean {
  return matchesFilters(query.filters, item, now) && matchesTerms(query.terms, item)
}

function matchesFilters(filters: QueryFilter[], item: QueryItem, now: Date): boolean {
  const holds = (filter: QueryFilter) => matchesFilter(filter, item, now)
  const wanted = filters.filter((filter) => !filter.negated)
  const isMet = (filter: QueryFilter) =>
    anyWillDo.has(filter.key) ? wanted.some((other) => other.key === filter.key && holds(other)) : holds(filter)
  return wanted.every(isMet) && !filters.some((filter) => filter.negated && holds(filter))
}

function matchesFilter({ key, value }: QueryFilter, { entry, id, source, superseded }: QueryItem, now: Date): boolean {
  switch (key) {
    case "type":
      return entry.type === value
    case "author":
      return [entry.author, ...entry.contributors].some((name) => sameName(name, value))
    case "tag":
      return entry.tags.some((tag) => sameName(tag, value))
    case "scope":
      return sameScope(entry.scope, value)
    case "source":
      return sameName(source, value)
    case "status":
      return value === "superseded" ? superseded : !superseded && (value === "active" || isReviewDue(entry, now))
    case "id":
      return sameName(id, value)
    case "after":
      return instantOf(entry.timestamp) >= instantOf(value)
    case "before":
      return instantOf(entry.timestamp) < instantOf(value)
    case "recent":
      return instantOf(entry.timestamp) >= now.getTime() - (parseDuration(value) ?? 0)
  }
}

function isReviewDue(entry: Entry, now: Date): boolean {
  return entry.expires !== undefined && instantOf(entry.expires) <= now.getTime()
}

function sameName(one: string, other: string): boolean {
  return nameKey(one) === nameKey(other)
}

function nameKey(name: string): string {
  return collapseWhiteSpace(name).normalize("NFC").toLowerCase()
}

function matchesTerms(terms: QueryTerm[], item: QueryItem): boolean {
  if (terms.length === 0) return true
  const { title, summary, details, rationale, tags, author } = item.entry
  const fields = [title, summary, details, rationale, ...tags, author, item.text]
  // folded text has no line breaks, so a phrase never runs from one field into the next
  const searched = fields.map((field) => foldText(field ?? "")).join("\n")
  return terms.every((term) => searched.includes(foldText(term.text)) !== term.negated)
}

/** Text without case, accents and line breaks, for finding: "Café" and "cafe" fold to the same. */
export function foldText(text: string): string {
  const withoutAccents = text.normalize("NFD").replace(/[\u0300-\u036f]/g, "")
  return collapseWhiteSpace(withoutAccents.normalize("NFC").toLowerCase())
}
