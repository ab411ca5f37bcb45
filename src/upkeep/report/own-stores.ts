import { undated } from "../../formats/legacy/fallbacks.ts"
import { dateOf, instantOf } from "../../formats/timestamp.ts"
import type { StoreEntry } from "../../squad/collect-entries.ts"
import type { Memory } from "../../store/memory.ts"
import type { ReadStore } from "./stored-memory.ts"

/** The team's active entries as a store to report on, without archives. */
export function entriesAsStore(entries: readonly StoreEntry[]): ReadStore {
  const holding = entries.filter(({ supersededBy, source }) => supersededBy.length === 0 && source !== "archive")
  const memories = holding.map(({ id, entry, path, line }) => ({
    path,
    line,
    id,
    text: [...new Set([entry.title, entry.summary, entry.details ?? "", entry.rationale ?? ""])]
      .filter(Boolean)
      .join("\n"),
    at: dateOf(entry.timestamp) === undated ? undefined : instantOf(entry.timestamp),
  }))
  return { path: "the team's entries", format: "entries", memories, parts: [], broken: [] }
}

/** Learned memories that are handed out. */
export function memoriesAsStore(learned: readonly Memory[]): ReadStore {
  const memories = learned.map(({ id, text, updated }) => ({ path: id, line: 0, id, text, at: Date.parse(updated) }))
  return { path: "learned memory", format: "learned", memories, parts: [], broken: [] }
}
