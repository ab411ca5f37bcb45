import { undated } from "../../formats/legacy/fallbacks.ts"
import type { ReadEntry } from "../../formats/read-entries.ts"
import { dateOf, instantOf, type Timestamp } from "../../formats/timestamp.ts"
import { isPolicy, markedGuidance } from "../load-guidance.ts"

/** Whether an entry may be archived, and in which order: lowest turn first, then least used, then oldest. */
export type Standing =
  | { kind: "may-go"; turn: number; uses: number; instant: number }
  | { kind: "stays"; why: "protected" | "undated" }

export type StandingContext = {
  now: Date
  isSuperseded: (entry: ReadEntry) => boolean
  /** When git first saw an undated entry. */
  gitTimes: ReadonlyMap<string, Timestamp>
  /** In how many contexts an entry was included. */
  usesOf: (id: string) => number
}

const day = 86_400_000
const turns = { superseded: 0, note: 1, memory: 1, decision: 2, directive: 3 } as const

/** Age alone does not decide: old entries are still valid, so decisions in use are archived last. */
export function standingOf(read: ReadEntry, context: StandingContext): Standing {
  const { entry, id } = read
  const own = hasOwnDate(read, context.now) ? instantOf(entry.timestamp) : undefined
  const fromGit = context.gitTimes.get(id)
  const instant = own ?? (fromGit === undefined ? undefined : instantOf(fromGit))
  const isSuperseded = context.isSuperseded(read)
  if (isSuperseded ? isPermanent(read) : isProtected(read)) return { kind: "stays", why: "protected" }
  if (isSuperseded) return { kind: "may-go", turn: turns.superseded, uses: 0, instant: instant ?? 0 }
  if (instant === undefined) return { kind: "stays", why: "undated" }
  return { kind: "may-go", turn: turns[entry.type], uses: context.usesOf(id), instant }
}

/** A date in the future counts as invented and is ignored. */
export function hasOwnDate({ entry }: ReadEntry, now: Date): boolean {
  return dateOf(entry.timestamp) !== undated && instantOf(entry.timestamp) <= now.getTime() + day
}

/** Policies and entries marked as permanent or ALWAYS are never archived. */
export function isProtected(read: ReadEntry): boolean {
  return isPermanent(read) || isPolicy(read.entry) || markedGuidance(read.entry) === "ALWAYS"
}

function isPermanent({ entry }: ReadEntry): boolean {
  return entry.tags.some(isPermanentTag)
}

export function isPermanentTag(tag: string): boolean {
  return tag.toLowerCase() === "permanent"
}
