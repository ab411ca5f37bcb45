import type { ReadEntry } from "../../formats/entries.ts"
import type { Entry } from "../../formats/entry.ts"
import { undated } from "../../formats/legacy/fallbacks.ts"
import { dateOf, instantOf, type Timestamp } from "../../formats/timestamp.ts"
import { isPolicy, markedGuidance } from "../team-rules.ts"

/** Whether an entry may be archived, and in which order: lowest turn first, then least used, then oldest. */
export type Retention =
  | { kind: "may-go"; turn: number; uses: number; instant: number }
  | { kind: "stays"; why: "protected" | "undated" }

export type RetentionContext = {
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
export function retentionOf(read: ReadEntry, context: RetentionContext): Retention {
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

function isPermanentTag(tag: string): boolean {
  return tag.toLowerCase() === "permanent"
}

/** Whether an entry is tagged as permanent, so that it is never archived. */
export function isPinned({ tags }: Pick<Entry, "tags">): boolean {
  return tags.some(isPermanentTag)
}

export function withPin(entry: Entry, pinned: boolean): Entry {
  if (isPinned(entry) === pinned) return entry
  return { ...entry, tags: pinned ? [...entry.tags, "permanent"] : entry.tags.filter((tag) => !isPermanentTag(tag)) }
}

/** The largest decisions.md that an agent can read whole without Drey; entries above it are archived. */
export const decisionsLimit = 20_480

/** A merge is due when the inbox has more files than this, or an older one. */
export const inboxLimit = { files: 5, days: 7 } as const
