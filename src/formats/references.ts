import { type Diagnostic, diagnostic } from "./diagnostics.ts"
import type { ReadEntry } from "./entries.ts"
import type { Entry } from "./entry.ts"
import { collapseWhiteSpace } from "./source-text.ts"
import { instantOf, parseTimestamp } from "./timestamp.ts"

export type Reference = { kind: "found"; id: string } | { kind: "none" } | { kind: "several"; ids: string[] }

/** An entry with its identity and place, as much of it as linking needs. */
export type Linkable = { id: string; line: number; entry: Entry }

export type Links = {
  /** For each id, the ids of the entries that replaced it. */
  supersededBy: Map<string, string[]>
  supersedes: Map<string, string[]>
  /** In the order of the entries given. */
  diagnostics: { id: string; diagnostic: Diagnostic }[]
}

const numberedTitle = /^(decision\s+#?\d+|(?:adr|dec|rfc|d)-?\d[\w-]*)\b/i

/** `decision 12` of "Decision 12: Authoring spec", `adr-7` of "ADR-7: One index": what people call a decision for short. */
function aliasOf(title: string): string | undefined {
  return numberedTitle.exec(title)?.[1]?.toLowerCase().replace(/\s+#?/, " ")
}

/** Resolves a reference: by id first, then the one entry with that number, then the one with that time. */
export function referenceResolver(entries: readonly Linkable[]): (reference: string) => Reference {
  const byId = new Set<string>()
  const byAlias = new Map<string, Set<string>>()
  const byInstant = new Map<number, Set<string>>()
  for (const { id, entry } of entries) {
    byId.add(id)
    const alias = aliasOf(entry.title)
    if (alias !== undefined) addTo(byAlias, alias, id)
    if (entry.precision === "day") continue // a made-up second is not a name
    addTo(byInstant, instantOf(entry.timestamp), id)
  }
  const daysOnly = new Map<number, Set<string>>()
  for (const { id, entry } of entries) if (entry.precision === "day") addTo(daysOnly, instantOf(entry.timestamp), id)
  return (reference) => {
    if (byId.has(reference)) return { kind: "found", id: reference }
    const timestamp = parseTimestamp(reference)
    const instant = timestamp ? instantOf(timestamp) : undefined
    const named =
      instant === undefined ? byAlias.get(aliasOf(reference) ?? "") : (byInstant.get(instant) ?? daysOnly.get(instant))
    const ids = [...(named ?? [])]
    if (ids.length === 1 && ids[0] !== undefined) return { kind: "found", id: ids[0] }
    return ids.length === 0 ? { kind: "none" } : { kind: "several", ids }
  }
}

/** Computes both directions of supersession from the entries and reports unresolved references. */
export function linkEntries(entries: readonly Linkable[]): Links {
  const resolve = referenceResolver(entries)
  const links: Links = { supersededBy: new Map(), supersedes: new Map(), diagnostics: [] }
  const link = (older: string, newer: string) => {
    pushTo(links.supersededBy, older, newer)
    pushTo(links.supersedes, newer, older)
  }
  for (const { id, line, entry } of entries) {
    const follow = (reference: string, found: (target: string) => void) => {
      const target = resolve(reference)
      if (target.kind === "found") found(target.id)
      else links.diagnostics.push({ id, diagnostic: brokenReference(reference, target, line) })
    }
    for (const reference of entry.supersedes) follow(reference, (target) => link(target, id))
    for (const reference of entry.supersededBy) follow(reference, (target) => link(id, target))
    for (const { type, identifier } of entry.related) {
      if ((type === "decision" || type === "memory") && (parseTimestamp(identifier) || identifier.startsWith("sem-"))) {
        follow(identifier, () => {})
      }
    }
  }
  for (const { id, line } of entriesInCycles(entries, links)) {
    const message = `${id} supersedes itself through the entries it replaces.`
    links.diagnostics.push({ id, diagnostic: diagnostic("cyclic-supersession", line, message) })
  }
  return links
}

function brokenReference(reference: string, target: Reference, line: number): Diagnostic {
  return target.kind === "several"
    ? diagnostic(
        "ambiguous-reference",
        line,
        `"${reference}" names ${target.ids.length} entries: ${target.ids.join(", ")}.`,
      )
    : diagnostic("dangling-reference", line, `No entry matches the reference "${reference}".`)
}

/** The entries from which following `supersededBy` leads back to themselves. */
function entriesInCycles(entries: readonly Linkable[], links: Links): Linkable[] {
  const state = new Map<string, "open" | "done">()
  const cyclic = new Set<string>()
  for (const { id: root } of entries) {
    const path: string[] = []
    const stack: { id: string; leaving: boolean }[] = [{ id: root, leaving: false }]
    while (stack.length > 0) {
      const { id, leaving } = stack.pop() as { id: string; leaving: boolean }
      if (leaving) {
        state.set(id, "done")
        path.pop()
      } else if (state.get(id) === "open") {
        for (const member of path.slice(path.indexOf(id))) cyclic.add(member)
      } else if (!state.has(id)) {
        state.set(id, "open")
        path.push(id)
        stack.push({ id, leaving: true })
        for (const next of links.supersededBy.get(id) ?? []) stack.push({ id: next, leaving: false })
      }
    }
  }
  return entries.filter(({ id }) => cyclic.has(id))
}

function addTo<K>(map: Map<K, Set<string>>, key: K, id: string): void {
  const ids = map.get(key) ?? new Set()
  map.set(key, ids.add(id))
}

function pushTo(map: Map<string, string[]>, key: string, id: string): void {
  const ids = map.get(key) ?? []
  if (!ids.includes(id)) map.set(key, [...ids, id])
}

/** Turns "superseded by X" of a heading or status into a link, when X is the title or id of exactly one other entry of the file. Changes the entries in place. */
export function linkSuperseded(entries: ReadEntry[]): void {
  const superseded = entries.flatMap((each) =>
    each.format === "legacy" && each.reading.superseded ? [{ each, by: each.reading.superseded }] : [],
  )
  if (superseded.length === 0) return
  const named = new Map<string, Set<string>>()
  for (const { entry, id } of entries) {
    const title = comparable(entry.title)
    for (const name of new Set([title, aliasOf(title)]))
      if (name) named.set(name, (named.get(name) ?? new Set()).add(id))
  }
  for (const { each, by } of superseded) {
    const wanted = comparable(by)
    const ids = named.get(wanted) ?? named.get(aliasOf(wanted) ?? "")
    const others = [...(ids ?? [])].filter((id) => id !== each.id)
    if (others.length === 1) each.entry.supersededBy = others
  }
}

function comparable(text: string): string {
  return collapseWhiteSpace(
    text
      .toLowerCase()
      .replace(/[*_`"'[\]()]/g, " ")
      .replace(/[.:;,]+$/, ""),
  )
}
