import { normalizeEntry, writeEntry } from "../../../src/formats/entry-writer.ts"
import { timestampFromDate } from "../../../src/formats/timestamp.ts"

/** A note by a member of the sample team, so many days ago. */
export type Noted = {
  days: number
  author: string
  title: string
  text: string
  why?: string
  tags?: string[]
  /** The title of what it replaces. */
  supersedes?: string
  /** So many days ago it was due for review. */
  expires?: number
}

export const day = 86_400_000

/** At some time of a working day, the same for the same number of days. */
export function daysAgo(now: number, days: number): Date {
  const midnight = Math.floor(now / day) * day
  return new Date(midnight - days * day + (8 + (days % 9)) * 3_600_000 + (days % 53) * 60_000)
}

/** The note as an entry of a team file; `others` are where the one that it replaces is looked for. */
export function writeNote(
  type: "decision" | "directive" | "memory",
  note: Noted,
  { now, others = [], scope = "team" }: { now: number; others?: readonly Noted[]; scope?: string },
): string {
  const at = (days: number) => timestampFromDate(daysAgo(now, days))
  const replaced = others.find(({ title }) => title === note.supersedes)
  return writeEntry(
    normalizeEntry({
      type,
      scope,
      timestamp: at(note.days),
      author: note.author,
      title: note.title,
      details: note.text,
      tags: note.tags ?? [],
      ...(note.why ? { rationale: note.why } : {}),
      ...(replaced ? { supersedes: [daysAgo(now, replaced.days).toISOString().replace(".000Z", "Z")] } : {}),
      ...(note.expires === undefined ? {} : { expires: at(note.expires) }),
    }),
  )
}
