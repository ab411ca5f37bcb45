import type { Policy } from "../formats/policy.ts"
import type { Decision } from "../store/learned-store.ts"
import type { Memory } from "../store/memory.ts"
import { daysBetween } from "./days.ts"
import { type Rules, rulesFor } from "./rules-for.ts"
import { countOf, recordOf, timesAsked, timesOf, useRatio } from "./use-record.ts"

export type Ending = { result: Extract<Decision["result"], "deprecate" | "decay" | "expire">; reason: string }

/** Why a memory should end, regardless of protection: the first reason that applies. */
export function endingOf(memory: Memory, policy: Policy, now: string): Ending | undefined {
  const rules = rulesFor(memory, policy)
  if (isPassedOver(memory, rules, now)) return { result: "deprecate", reason: recordOf(memory) }
  if (hasFailed(memory)) return { result: "deprecate", reason: failureOf(memory) }
  const idle = idleDays(memory, now)
  if (rules.decayDays !== undefined && idle > rules.decayDays) {
    const reason = `not used for ${countOf(Math.floor(idle), "day")} (limit: ${rules.decayDays})`
    return { result: "decay", reason }
  }
  if (memory.expires !== undefined && memory.expires <= now)
    return { result: "expire", reason: `expired on ${memory.expires.slice(0, 10)}` }
  return undefined
}

/** Why a memory never ends automatically; undefined if it may. */
export function protectionOf({ pinned, status, kind, tier, metrics }: Memory): string | undefined {
  if (pinned) return "it is pinned"
  if (status !== "active") return undefined
  if (kind === "invariant" && tier === "long_term") return "it is a proven invariant"
  if (kind === "guard" && metrics.hits > 0) return "it is a guard that has helped"
  return undefined
}

/** Many opportunities and hardly any use. A proven memory must also have been idle for half of its decay period. */
function isPassedOver(memory: Memory, { deprecation, decayDays }: Rules, now: string): boolean {
  if (timesAsked(memory) < deprecation.min_opportunities) return false
  if (useRatio(memory) > deprecation.max_use_ratio) return false
  if (memory.status === "provisional") return true
  if (decayDays === undefined) return false
  const { lastHit } = memory.metrics
  const window = decayDays / 2
  return idleDays(memory, now) >= window && (lastHit === undefined || daysBetween(lastHit, now) >= window)
}

/** This many failures, at twice the number of successes, are not a coincidence. */
export const fewestFailures = 3

/**
 * Without this rule a harmful memory would stay on trial for good, because it is used often. The user's own statements
 * are flagged instead: agents failing to follow them does not make them wrong.
 */
function hasFailed({ origin, status, metrics: { hits, misses } }: Memory): boolean {
  return status === "provisional" && origin !== "user" && misses >= fewestFailures && misses >= 2 * hits
}

function failureOf({ metrics: { hits, misses } }: Memory): string {
  const helped = hits === 0 ? "never seen to help" : `helped only ${timesOf(hits)}`
  return `its mistake happened ${timesOf(misses)} although it was in the context; ${helped}`
}

export function idleDays({ metrics, created }: Memory, now: string): number {
  return daysBetween(metrics.lastUsed ?? created, now)
}
