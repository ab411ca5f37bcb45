import { undated } from "../../formats/legacy/fallbacks.ts"
import type { ReadEntry } from "../../formats/read-entries.ts"
import { dateOf, instantOf, type Timestamp } from "../../formats/timestamp.ts"

/** Whether an entry may leave decisions.md, and if so, how soon: the lowest turn first, the oldest first among equals. */
export type Standing =
  | { kind: "may-go"; turn: number; instant: number }
  | { kind: "stays"; why: "protected" | "young" | "undated" }

export type StandingContext = {
  now: Date
  /** Younger entries stay. */
  days: number
  isSuperseded: (entry: ReadEntry) => boolean
  /** When git first saw an entry that tells no date itself. */
  gitTimes: ReadonlyMap<string, Timestamp>
}

const day = 86_400_000
const turns = { superseded: 0, expired: 1, note: 2, decision: 3, undated: 4 } as const

export function standingOf(read: ReadEntry, context: StandingContext): Standing {
  const { entry, id } = read
  const own = hasOwnDate(read, context.now) ? instantOf(entry.timestamp) : undefined
  const fromGit = context.gitTimes.get(id)
  const instant = own ?? (fromGit === undefined ? undefined : instantOf(fromGit))
  if (isPermanent(read)) return { kind: "stays", why: "protected" }
  if (context.isSuperseded(read)) return { kind: "may-go", turn: turns.superseded, instant: instant ?? 0 }
  if (isProtected(read)) return { kind: "stays", why: "protected" }
  if (instant === undefined) return { kind: "stays", why: "undated" }
  const now = context.now.getTime()
  if (entry.expires !== undefined && instantOf(entry.expires) < now - 30 * day)
    return { kind: "may-go", turn: turns.expired, instant }
  if (instant > now - context.days * day) return { kind: "stays", why: "young" }
  if (own === undefined) return { kind: "may-go", turn: turns.undated, instant }
  return { kind: "may-go", turn: entry.type === "note" ? turns.note : turns.decision, instant }
}

/** A date in the future is invented, and no better than none. */
export function hasOwnDate({ entry }: ReadEntry, now: Date): boolean {
  return dateOf(entry.timestamp) !== undated && instantOf(entry.timestamp) <= now.getTime() + day
}

/** Never aged out: what a person ordered, and what is marked as lasting. */
export function isProtected(read: ReadEntry): boolean {
  const { entry } = read
  if (entry.type === "directive" || isPermanent(read)) return true
  return entry.extensions.some(
    ({ name, value }) =>
      (/^class$/i.test(name) && /^policy$/i.test(value)) ||
      (/^loadGuidance$/i.test(name) && /^\[?always\]?$/i.test(value)),
  )
}

function isPermanent({ entry }: ReadEntry): boolean {
  return entry.tags.some(isPermanentTag)
}

export function isPermanentTag(tag: string): boolean {
  return tag.toLowerCase() === "permanent"
}
