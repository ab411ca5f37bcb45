import type { Policy } from "../formats/policy.ts"
import type { Decision } from "../store/learned-store.ts"
import type { Memory } from "../store/memory.ts"
import { daysBetween } from "./days.ts"
import { type Rules, rulesFor } from "./rules-for.ts"
import { countOf, recordOf, timesAsked, timesOf, useRatio } from "./use-record.ts"

export type Ending = { result: Extract<Decision["result"], "deprecate" | "decay" | "expire">; reason: string }

/** Why a memory's time is over, in words, whether or not it is protected: the first reason that holds. */
export function endingOf(memory: Memory, policy: Policy, now: string): Ending | undefined {
  const rules = rulesFor(memory, policy)
  if (isPassedOver(memory, rules, now)) return { result: "deprecate", reason: recordOf(memory) }
  if (hasFailed(memory)) return { result: "deprecate", reason: failureOf(memory) }
  const idle = idleDays(memory, now)
  if (rules.decayDays !== undefined && idle > rules.decayDays) {
    const reason = `not used for ${countOf(Math.floor(idle), "day")}, and ${rules.decayDays} are allowed`
    return { result: "decay", reason }
  }
  if (memory.expires !== undefined && memory.expires <= now)
    return { result: "expire", reason: `its time was over on ${memory.expires.slice(0, 10)}` }
  return undefined
}

/** Why a memory never ends by itself, in words; undefined for one that may. */
export function protectionOf({ pinned, status, kind, tier, metrics }: Memory): string | undefined {
  if (pinned) return "it is pinned"
  if (status !== "active") return undefined
  if (kind === "invariant" && tier === "long_term") return "it is an invariant that has proved itself"
  if (kind === "guard" && metrics.hits > 0) return "it is a guard that has helped"
  return undefined
}

/** Many chances and hardly a use. One that has proved itself must also have lain idle for half the time after which it would decay. */
function isPassedOver(memory: Memory, { deprecation, decayDays }: Rules, now: string): boolean {
  if (timesAsked(memory) < deprecation.min_opportunities) return false
  if (useRatio(memory) > deprecation.max_use_ratio) return false
  if (memory.status === "provisional") return true
  if (decayDays === undefined) return false
  const { lastHit } = memory.metrics
  const window = decayDays / 2
  return idleDays(memory, now) >= window && (lastHit === undefined || daysBetween(lastHit, now) >= window)
}

/** So many failures, twice as many as helps, are no chance any more. */
export const fewestFailures = 3

/**
 * Without an end of this kind, what does harm would stay on trial for good, since it is used often enough not to be passed over. What a
 * person said does not end because agents fail to follow it: it is flagged.
 */
function hasFailed({ origin, status, metrics: { hits, misses } }: Memory): boolean {
  return status === "provisional" && origin !== "user" && misses >= fewestFailures && misses >= 2 * hits
}

function failureOf({ metrics: { hits, misses } }: Memory): string {
  const helped = hits === 0 ? "never seen to help" : `helped only ${timesOf(hits)}`
  return `what it is about went wrong ${timesOf(misses)} although it was at hand; ${helped}`
}

export function idleDays({ metrics, created }: Memory, now: string): number {
  return daysBetween(metrics.lastUsed ?? created, now)
}
