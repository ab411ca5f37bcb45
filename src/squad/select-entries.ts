import { matchesQuery } from "../formats/matches-query.ts"
import type { Query } from "../formats/query.ts"
import { instantOf, type Timestamp } from "../formats/timestamp.ts"
import type { StoreEntry } from "./collect-entries.ts"

export type Selection = {
  query: Query
  /** Include superseded entries. */
  all?: boolean
  /** The state at this time: later entries are excluded and do not supersede anything. */
  asOf?: Timestamp
}

/** The entries that match a query, newest first; entries of the same instant in file order. */
export function selectEntries(entries: readonly StoreEntry[], selection: Selection, now: Date): StoreEntry[] {
  const at = selection.asOf === undefined ? undefined : instantOf(selection.asOf)
  const existing = at === undefined ? entries : entries.filter(({ entry }) => instantOf(entry.timestamp) <= at)
  const present = new Set(existing.map(({ id }) => id))
  const asksForStatus = selection.query.filters.some(({ key }) => key === "status")
  const clock = at === undefined ? now : new Date(at)
  return existing
    .map((entry) => {
      const item =
        at === undefined ? entry : { ...entry, supersededBy: entry.supersededBy.filter((id) => present.has(id)) }
      return { item, superseded: item.supersededBy.some((id) => present.has(id)) }
    })
    .filter(({ superseded }) => selection.all || asksForStatus || !superseded)
    .filter(({ item, superseded }) => matchesQuery(selection.query, { ...item, superseded }, clock))
    .map(({ item }) => ({ item, instant: instantOf(item.entry.timestamp) })) // read once, not at every comparison
    .sort((one, other) => other.instant - one.instant)
    .map(({ item }) => item)
}
