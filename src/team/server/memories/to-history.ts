import type { z } from "zod"
import type { MemoryHistory } from "../../../store/learned-store.ts"
import type { memoryHistory } from "../../api.ts"

const mostUses = 200

/** A memory's history for clients, without sessions and local paths. */
export function toHistory({ evidence, uses, audit }: MemoryHistory): z.infer<typeof memoryHistory> {
  return {
    evidence: evidence.map(({ source, quote, created }) => ({ source, quote, at: created })),
    uses: uses
      .slice(-mostUses)
      .map(({ task, ts, injected, outcome }) => ({ task: taskOf(task), at: ts, injected, outcome: outcome ?? null })),
    audit: audit.map(({ ts, action, reason }) => ({ at: ts, action, reason })),
  }
}

/** Strips the member's id. */
function taskOf(task: string): string {
  return task.slice(task.indexOf(" ") + 1)
}
