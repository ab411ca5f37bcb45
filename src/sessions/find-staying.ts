import type { AgentMemory } from "../formats/session/agent-memory.ts"
import { momentOf } from "./entries-of.ts"
import { listEntries, type PlacedEntry, qualifiedId, referencesOf } from "./references-of.ts"

/** An entry with its time and the entries of the same memory that it refers to. */
export type LinkedEntry = PlacedEntry & { time: number; refersTo: LinkedEntry[] }

export type StayReason = "recent" | "in progress" | "critical" | "blocker" | "no valid time" | { referredToBy: string }

const recentMs = 2 * 3_600_000

/**
 * Says which entries of a memory stay where agents read them: what is recent, what is still needed, and what those refer to, directly or
 * not. "Now" is the time of the newest entry, so the same memory always gives the same answer.
 */
export function findStaying(memory: AgentMemory): {
  entries: LinkedEntry[]
  newest: LinkedEntry | undefined
  staying: Map<LinkedEntry, StayReason>
} {
  const entries = linkEntries(memory)
  const newest = entries.reduce<LinkedEntry | undefined>(newerOf, undefined)
  const named = namedByBlockers(memory)
  const staying = new Map<LinkedEntry, StayReason>()
  for (const each of entries) {
    const reason = named.has(each.entry.id) ? "blocker" : ownReason(each, newest?.time ?? 0)
    if (reason) staying.set(each, reason)
  }
  for (const [each] of staying) // also over what is added meanwhile
    for (const target of each.refersTo) if (!staying.has(target)) staying.set(target, { referredToBy: each.entry.id })
  return { entries, newest, staying }
}

function linkEntries(memory: AgentMemory): LinkedEntry[] {
  const entries = listEntries(memory).map((placed): LinkedEntry => {
    return { ...placed, time: momentOf(placed.entry), refersTo: [] }
  })
  const byKey = new Map(
    entries.flatMap((each) =>
      [each.entry.id, qualifiedId(memory.agent, each.entry.id)].map((name) => [`${each.section} ${name}`, each]),
    ),
  )
  for (const each of entries)
    for (const { section, id } of referencesOf(each.entry)) {
      const target = byKey.get(`${section} ${id}`)
      if (target && target !== each) each.refersTo.push(target)
    }
  return entries
}

/** Of two at the same time, the later in the file. */
function newerOf(newest: LinkedEntry | undefined, each: LinkedEntry): LinkedEntry | undefined {
  return each.time >= (newest?.time ?? -Infinity) ? each : newest
}

function ownReason({ entry, time }: LinkedEntry, now: number): StayReason | undefined {
  if (entry.result === "in_progress") return "in progress"
  if (entry.importance === "critical") return "critical"
  if (!Number.isFinite(time)) return "no valid time"
  return now - time <= recentMs ? "recent" : undefined
}

/** The words of open blockers, any of which may be an entry's id. */
function namedByBlockers({ context }: AgentMemory): Set<string> {
  const words = (context?.blockers ?? []).flatMap((blocker) => blocker.split(/[\s,;:()[\]"'`]+/))
  return new Set(words.map((word) => word.replace(/\.$/, "")))
}
