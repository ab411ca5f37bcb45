import { judgeItems } from "../staleness/judge-items.ts"
import type { JudgedName } from "../staleness/verdict.ts"
import { findPastDay } from "./find-past-day.ts"
import type { StoredMemory } from "./stored-memory.ts"

/**
 * Why a memory may be outdated: it names something moved or gone, its date has passed, or it has not been changed for
 * long.
 */
export type Stale = { at: number; kind: "gone" | "moved" | "past" | "old"; what: string }

/** `unknown`: names that this repository never had; they may belong to another one. */
export type Staleness = { stale: Stale[]; unknown: { at: number; what: string }[] }

const day = 86_400_000

/**
 * Checks each memory's names, dates and age. Names are checked against the repository at `root`; without one they are
 * not checked.
 */
export async function findStale(
  memories: readonly StoredMemory[],
  { root, now, oldAfterDays }: { root: string | undefined; now: number; oldAfterDays: number },
): Promise<Staleness> {
  const texts = memories.map(({ text, at }, index) => ({ id: String(index), text, at }))
  const judged = root === undefined ? [] : await judgeItems(root, texts)
  const stale: Stale[] = []
  const unknown: Staleness["unknown"] = []
  for (const [at, memory] of memories.entries()) {
    const names = judged[at]?.names ?? []
    stale.push(...names.flatMap((name) => staleName(name, at)))
    unknown.push(...names.filter(isUnknown).map(({ text }) => ({ at, what: text })))
    const past = findPastDay(memory.text, now)
    if (past !== undefined) stale.push({ at, kind: "past", what: `mentions ${past}` })
    if (memory.at !== undefined && now - memory.at > oldAfterDays * day)
      stale.push({ at, kind: "old", what: `written ${new Date(memory.at).toISOString().slice(0, 10)}` })
  }
  return { stale, unknown }
}

function staleName({ text, verdict }: JudgedName, at: number): Stale[] {
  if (verdict.state === "moved") return [{ at, kind: "moved", what: `${text} is now ${verdict.to}` }]
  if (verdict.state !== "gone") return []
  const since = "day" in verdict && verdict.day !== undefined ? ` since ${verdict.day}` : ""
  return [{ at, kind: "gone", what: `${text} is gone${since}` }]
}

/** Files and commands only: an unknown symbol usually belongs to a library. */
function isUnknown({ kind, verdict }: JudgedName): boolean {
  return kind !== "symbol" && verdict.state === "unverifiable" && /never had it|nothing defines it/.test(verdict.reason)
}
