import type { Database } from "../disk/sqlite.ts"
import { instantOf, parseTimestamp } from "../formats/timestamp.ts"

type Link = { older: string; newer: string; newer_at: number | null }

/** Resolves which items replace which, over all origins, and writes the changed links. */
export function linkItems(database: Database): void {
  const resolve = referenceResolver(database)
  const links = new Map<string, Link>()
  const add = (older: string, newer: string) => {
    if (older !== newer) links.set(`${older}\0${newer}`, { older, newer, newer_at: timeOf(database, newer) })
  }
  // Pending inbox items replace nothing yet: an agent's proposal must not deactivate a decision of the team.
  const linking = database.prepare<Place & { supersedes: string; superseded_by: string }>(
    `SELECT id, origin, agent, iif(source = 'inbox' AND NOT governed, '[]', supersedes) AS supersedes, superseded_by
     FROM items WHERE supersedes <> '[]' OR superseded_by <> '[]'`,
  )
  for (const { supersedes, superseded_by, ...from } of linking.all()) {
    for (const reference of JSON.parse(supersedes)) add(resolve(reference, from) ?? from.id, from.id)
    for (const reference of JSON.parse(superseded_by)) add(from.id, resolve(reference, from) ?? from.id)
  }
  for (const key of linksInCycles([...links.entries()])) links.delete(key)
  writeLinks(database, links)
}

/** An item as far as references need it: its file and its owner. */
type Place = { id: string; origin: number; agent: string | null }

/**
 * The same rule as for references between entries: an id first, here also an alias; then the one item of that instant.
 * Among several, other agents' own notes are excluded, and one in the same file as the reference wins.
 */
function referenceResolver(database: Database): (reference: string, from: Place) => string | undefined {
  const byId = database.prepare("SELECT 1 FROM items WHERE id = ?")
  const byAlias = database.prepare<{ id: string }>(
    "SELECT id FROM aliases WHERE alias = ? AND EXISTS (SELECT 1 FROM items WHERE items.id = aliases.id)",
  )
  const byInstant = database.prepare<Place & { day_only: number }>(
    "SELECT id, origin, agent, day_only FROM items WHERE at = ?",
  )
  return (reference, from) => {
    if (byId.get(reference)) return reference
    const alias = byAlias.get(reference)
    if (alias) return alias.id
    const timestamp = parseTimestamp(reference)
    if (!timestamp) return undefined
    const found = byInstant.all(instantOf(timestamp))
    const precise = found.filter(({ day_only }) => day_only === 0)
    const named = precise.length > 0 ? precise : found
    const visible = named.filter(({ id, agent }) => id !== from.id && (agent === null || agent === from.agent))
    const near = visible.filter(({ origin }) => origin === from.origin)
    return onlyId(named) ?? onlyId(visible) ?? onlyId(near)
  }
}

function onlyId(places: readonly Place[]): string | undefined {
  const ids = new Set(places.map(({ id }) => id))
  return ids.size === 1 ? [...ids][0] : undefined
}

function timeOf(database: Database, id: string): number | null {
  const found = database.prepare<{ at: number | null }>("SELECT min(at) AS at FROM items WHERE id = ?").get(id)
  return found?.at ?? null
}

/** Items that replace each other in a cycle would all be hidden; a cycle does not show which is current. */
function linksInCycles(links: [string, Link][]): string[] {
  let left = links
  for (;;) {
    const olders = new Set(left.map(([, { older }]) => older))
    const newers = new Set(left.map(([, { newer }]) => newer))
    const next = left.filter(([, { older, newer }]) => newers.has(older) && olders.has(newer))
    if (next.length === left.length) return next.map(([key]) => key)
    left = next
  }
}

function writeLinks(database: Database, wanted: Map<string, Link>): void {
  const missing = new Map(wanted)
  for (const link of database.prepare<Link>("SELECT older, newer, newer_at FROM links").all()) {
    const key = `${link.older}\0${link.newer}`
    if (wanted.get(key)?.newer_at === link.newer_at) missing.delete(key)
    else database.prepare("DELETE FROM links WHERE older = ? AND newer = ?").run(link.older, link.newer)
  }
  const insert = database.prepare("INSERT OR REPLACE INTO links (older, newer, newer_at) VALUES (?, ?, ?)")
  for (const { older, newer, newer_at } of missing.values()) insert.run(older, newer, newer_at)
}
