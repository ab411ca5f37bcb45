import type { AgentMemory, ArchivedSpan } from "../formats/session/agent-memory.ts"
import { momentOf } from "./entries-of.ts"
import type { ArchivePlan } from "./plan-archive.ts"
import { type Span, summarizeSpan } from "./summarize-span.ts"

/** What a memory's `history` says about the entries that leave it. */
export function describeSpan(memory: AgentMemory, move: ArchivePlan["move"], now: Date): ArchivedSpan {
  const leaving = new Set(move.map(({ section, id }) => `${section} ${id}`))
  const span: Span = {
    discoveries: memory.discoveries.filter(({ id }) => leaving.has(`discoveries ${id}`)),
    attempts: memory.attempts.filter(({ id }) => leaving.has(`attempts ${id}`)),
    decisions: memory.decisions.filter(({ id }) => leaving.has(`decisions ${id}`)),
  }
  const entries = [...span.discoveries, ...span.attempts, ...span.decisions]
  const times = entries
    .map(momentOf)
    .filter(Number.isFinite)
    .sort((one, other) => one - other)
  const counts = {
    discoveries: span.discoveries.length,
    attempts: span.attempts.length,
    decisions: span.decisions.length,
  }
  const [from, to] = [times[0], times.at(-1)]
  return {
    archivedAt: now.toISOString(),
    ...(from === undefined || to === undefined ? {} : { from: toText(from), to: toText(to) }),
    counts,
    summary: summarizeSpan(span),
    ids: entries.map(({ id }) => id),
  }
}

function toText(time: number): string {
  return new Date(time).toISOString()
}
