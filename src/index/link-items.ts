import type { Database } from "../disk/sqlite.ts"
import { instantOf, parseTimestamp } from "../formats/timestamp.ts"

type Link = { older: string; newer: string; newer_at: number | null }

/**
 * Resolves what every item says that it replaces, or was replaced by, over all origins, and writes what changed of it.
 */
export function linkItems(database: Database): void {
  const resolve = referenceResolver(database)
  const links = new Map<string, Link>()
  const add = (older: string, newer: string) => {
    if (older !== newer) links.set(`${older}\0${newer}`, { older, newer, newer_at: timeOf(database, newer) })
  }
  // What waits in the inbox replaces nothing yet: an agent's proposal must not take out of force what the team has
  // decided.
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

/** An item as far as it matters for what a reference may mean: in whose file it stands, and whose it is. */
type Place = { id: string; origin: number; agent: string | null }

/**
 * The rule of the entries' own references: an id first, here also an alias; then the one item of that instant. Of
 * several, another agent's own notes are not meant; and if one stands in the same file as the reference, that one is.
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

/** Items that replace one another in a ring would all be hidden; a ring says nothing about which is current. */
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
