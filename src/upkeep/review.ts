import type { Policy } from "../formats/policy.ts"
import type { Memory } from "../store/memory.ts"
import { endingOf, protectionOf } from "./ending-of.ts"
import { timesOf } from "./use-record.ts"

/** A memory that a person should look at, and why. */
export type Review = { memory: Memory; reason: string }

/** What waits for a person: what only its protection keeps, what is flagged, and what is not handed out for want of a second sign. */
export function reviewOf(memories: readonly Memory[], policy: Policy, now: string): Review[] {
  return memories
    .filter(({ status }) => status !== "deprecated")
    .map((memory) => ({ memory, reasons: reasonsOf(memory, policy, now) }))
    .filter(({ reasons }) => reasons.length > 0)
    .map(({ memory, reasons }) => ({ memory, reason: reasons.join("; ") }))
}

function reasonsOf(memory: Memory, policy: Policy, now: string): string[] {
  const protection = protectionOf(memory)
  const ending = protection === undefined ? undefined : endingOf(memory, policy, now)
  const reasons = ending ? [`it would end (${ending.reason}), but ${protection}`] : []
  for (const flag of memory.flags) {
    const reason = flagReason(flag, memory)
    if (reason !== undefined) reasons.push(reason)
  }
  if (memory.confidence < policy.retrieval.min_confidence && memory.evidence < 2)
    reasons.push("too uncertain to be handed out before it is seen a second time")
  return reasons
}

function flagReason(flag: string, { metrics }: Memory): string | undefined {
  switch (flag) {
    case "conflict":
      return "another memory says the opposite"
    case "misses":
      return `what it is about went wrong ${timesOf(metrics.misses)} although it was at hand`
    case "share":
      return "it was meant for the team, and only the user can share it"
    case "withheld":
      return "it has proved itself, and the gate does not let it be shared as it is"
    case "review":
      return "it was reported as wrong, or something wanted to end it, and a person should decide"
    default:
      return undefined // marks of what was done, such as that it was proposed to the team
  }
}
