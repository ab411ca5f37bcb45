import type { Policy } from "../../formats/policy.ts"
import type { MemoryHistory } from "../learned-store.ts"
import type { Memory } from "../memory.ts"
import {
  addDays,
  countOf,
  deservesPromotion,
  fewestFailures,
  isContradicted,
  protectionOf,
  retirementOf,
  rulesFor,
  timesAsked,
  timesOf,
  useRatio,
} from "./evaluation.ts"

/** What would promote a memory, and what would end it, for `why`. */
export function outlookOf(memory: Memory, policy: Policy, now: string): string[] {
  if (memory.status === "deprecated") return ["No longer active."]
  if (isContradicted(memory)) return ["Will not be promoted: the user said the opposite. The second time it ends."]
  if (deservesPromotion(memory, policy)) return ["Will be promoted at the next evaluation."]
  const promotion = memory.status === "provisional" ? [promotionOutlook(memory, policy)] : []
  const protection = protectionOf(memory)
  if (protection !== undefined) return [...promotion, `Never ends automatically: ${protection}.`]
  const ending = retirementOf(memory, policy, now)
  if (ending) return [...promotion, `Will end at the next evaluation: ${ending.reason}.`]
  return [...promotion, ...endOutlook(memory, policy)]
}

function promotionOutlook(memory: Memory, policy: Policy): string {
  const { min_opportunities, min_use_ratio, min_regret_hits } = rulesFor(memory, policy).promotion
  const { hits, misses } = memory.metrics
  const helps = min_regret_hits - (hits - misses)
  const missing: string[] = []
  const asked = timesAsked(memory)
  if (asked < min_opportunities) missing.push(`match ${countOf(min_opportunities - asked, "more context")}`)
  if (useRatio(memory) < min_use_ratio)
    missing.push(`be used in ${percent(min_use_ratio)} of matching contexts (so far ${percent(useRatio(memory))})`)
  if (helps > 0)
    missing.push(`help in ${countOf(helps, "more task")}${misses > 0 ? " (each failure cancels a success)" : ""}`)
  return `To be promoted, it must ${new Intl.ListFormat("en").format(missing)}.`
}

function endOutlook(memory: Memory, policy: Policy): string[] {
  const { deprecation, decayDays } = rulesFor(memory, policy)
  const { misses, lastUsed } = memory.metrics
  const chances = `Ends if used in ${percent(deprecation.max_use_ratio)} or less of at least ${deprecation.min_opportunities} matching contexts`
  const outlook: string[] = []
  if (memory.status === "provisional") outlook.push(`${chances}.`)
  else if (decayDays !== undefined) outlook.push(`${chances} and not used for ${decayDays / 2} days.`)
  if (decayDays !== undefined) {
    const last = addDays(lastUsed ?? memory.created, decayDays).slice(0, 10)
    outlook.push(`Ends if not used for ${decayDays} days (after ${last}).`)
  }
  if (misses > 0 && memory.origin !== "user") outlook.push(failureOutlook(memory))
  if (memory.expires !== undefined) outlook.push(`Ends on ${memory.expires.slice(0, 10)} unless promoted before.`)
  return outlook
}

function failureOutlook({ status, metrics: { hits, misses } }: Memory): string {
  const soFar = `so far it failed ${timesOf(misses)} and helped ${hits === 0 ? "never" : timesOf(hits)}`
  return status === "active"
    ? `Goes back on trial if it fails as often as it helps; ${soFar}.`
    : `Ends after ${fewestFailures} failures if it fails twice as often as it helps; ${soFar}.`
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}

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
  const ending = protection === undefined ? undefined : retirementOf(memory, policy, now)
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
    case "contradicted":
      return "the user said the opposite once; the second time it ends"
    case "contradicted twice":
      return "the user contradicted it twice"
    case "share":
      return "it was meant for the team, and only the user can share it"
    case "withheld":
      return "it has proved itself, but the governance check does not allow sharing it in this form"
    case "review":
      return "it was reported as wrong, or a less trusted source contradicts it"
    default:
      return undefined // flags that only record an action, such as the proposal to the team
  }
}

/** A memory with its evidence, its uses, and its outlook. */
export type MemoryExplanation = MemoryHistory & {
  memory: Memory
  /** What would promote it, and what would end it. */
  outlook: string[]
}
