import type { Policy } from "../formats/policy.ts"
import type { Memory } from "../store/memory.ts"
import { endingOf, protectionOf } from "./ending-of.ts"
import { timesOf } from "./use-record.ts"

/** A memory to review, with the reason. */
export type Review = { memory: Memory; reason: string }

/**
 * What needs a review: memories kept only by protection, flagged ones, and those held back for lack of a second piece
 * of evidence.
 */
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
    reasons.push("confidence is too low to use it before it is seen a second time")
  return reasons
}

function flagReason(flag: string, { metrics }: Memory): string | undefined {
  switch (flag) {
    case "conflict":
      return "it conflicts with another memory"
    case "misses":
      return `its mistake happened ${timesOf(metrics.misses)} although it was in the context`
    case "share":
      return "it was meant for the team, and only the user can share it"
    case "withheld":
      return "it has proved itself, but the governance check does not allow sharing it as it is"
    case "review":
      return "it was reported as wrong, or a less trusted source contradicts it"
    default:
      return undefined // flags that only record an action, such as the proposal to the team
  }
}
