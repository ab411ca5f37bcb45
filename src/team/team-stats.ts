import { type EntryType, entryTypes } from "../formats/entry.ts"
import type { EntrySource } from "../formats/entry-source.ts"
import { undated } from "../formats/legacy/fallbacks.ts"
import { dateOf, dayOf, instantOf } from "../formats/timestamp.ts"
import type { StoreEntry } from "./team-entries.ts"

/** `week` is the ISO week, `2026-W07`; `start` its Monday. Weeks run from Monday to Sunday, in UTC. */
export type WeekStats = { week: string; start: string; decisions: number; entries: number; total: number }

export type AuthorStats = { author: string; entries: number; decisions: number; contributions: number }

export type StatsShare<Name extends string> = { name: Name; entries: number; ratio: number }

export type TeamStats = {
  entries: number
  superseded: number
  /** Entries without a date, which are in no week. */
  undated: number
  /** Oldest first; `total` counts all dated entries up to the end of the week: the growth curve. */
  weeks: WeekStats[]
  /** Mean over the weeks shown. */
  decisionsPerWeek: number
  authors: AuthorStats[]
  scopes: StatsShare<"team" | "project" | "agent" | "skill">[]
  types: StatsShare<EntryType>[]
  sources: StatsShare<EntrySource>[]
}

/** Statistics about the growth of a team's memory by week, author, scope and source. Includes superseded entries. */
export function computeStats(entries: readonly StoreEntry[], weeks: number, now: Date): TeamStats {
  const dated = entries.filter(({ entry }) => dateOf(entry.timestamp) !== undated)
  const weekly = countWeeks(dated, weeks, now)
  const decisions = weekly.reduce((sum, week) => sum + week.decisions, 0)
  return {
    entries: entries.length,
    superseded: entries.filter(({ supersededBy }) => supersededBy.length > 0).length,
    undated: entries.length - dated.length,
    weeks: weekly,
    decisionsPerWeek: round(decisions / weekly.length),
    authors: countAuthors(entries),
    scopes: sharesOf(["team", "project", "agent", "skill"], entries, ({ entry }) => scopeKind(entry.scope)),
    types: sharesOf(entryTypes, entries, ({ entry }) => entry.type),
    sources: sharesOf(["decisions", "inbox", "archive", "history"], entries, ({ source }) => source),
  }
}

const day = 86_400_000

function countWeeks(entries: readonly StoreEntry[], count: number, now: Date): WeekStats[] {
  const last = mondayOf(now.getTime())
  return Array.from({ length: count }, (_, index) => {
    const start = last - (count - 1 - index) * 7 * day
    const end = start + 7 * day
    const upToEnd = entries.filter(({ entry }) => instantOf(entry.timestamp) < end)
    const within = upToEnd.filter(({ entry }) => instantOf(entry.timestamp) >= start)
    return {
      week: weekName(start),
      start: dayOf(start),
      decisions: within.filter(({ entry }) => entry.type === "decision").length,
      entries: within.length,
      total: upToEnd.length,
    }
  })
}

/** Midnight UTC on the Monday of the week of an instant. */
export function mondayOf(instant: number): number {
  const midnight = Math.floor(instant / day) * day
  return midnight - ((new Date(midnight).getUTCDay() + 6) % 7) * day
}

/** A week belongs to the year of its Thursday (ISO 8601). */
function weekName(monday: number): string {
  const thursday = new Date(monday + 3 * day)
  const year = thursday.getUTCFullYear()
  const number = Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / (7 * day)) + 1
  return `${year}-W${String(number).padStart(2, "0")}`
}

/** Names that differ only by case are one author; the spelling seen first is shown. */
function countAuthors(entries: readonly StoreEntry[]): AuthorStats[] {
  const byName = new Map<string, AuthorStats>()
  const statsOf = (author: string): AuthorStats => {
    const known = byName.get(author.toLowerCase()) ?? { author, entries: 0, decisions: 0, contributions: 0 }
    byName.set(author.toLowerCase(), known)
    return known
  }
  for (const { entry } of entries) {
    const stats = statsOf(entry.author)
    stats.entries++
    if (entry.type === "decision") stats.decisions++
    for (const contributor of entry.contributors) statsOf(contributor).contributions++
  }
  return [...byName.values()].sort(
    (one, other) =>
      other.entries - one.entries ||
      other.contributions - one.contributions ||
      (one.author.toLowerCase() < other.author.toLowerCase() ? -1 : 1),
  )
}

function scopeKind(scope: string): "team" | "project" | "agent" | "skill" {
  const kind = scope.split(":")[0]
  return kind === "agent" || kind === "skill" || kind === "project" ? kind : "team"
}

function sharesOf<Name extends string>(
  names: readonly Name[],
  entries: readonly StoreEntry[],
  nameOf: (entry: StoreEntry) => Name,
): StatsShare<Name>[] {
  return names.map((name) => {
    const count = entries.filter((entry) => nameOf(entry) === name).length
    return { name, entries: count, ratio: entries.length === 0 ? 0 : round(count / entries.length) }
  })
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000
}
