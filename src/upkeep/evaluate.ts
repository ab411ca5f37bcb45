import type { Policy } from "../formats/policy.ts"
import type { Decision } from "../store/learned-store.ts"
import type { Memory } from "../store/memory.ts"
import { addDays } from "./days.ts"
import { type Ending, endingOf, protectionOf } from "./ending-of.ts"
import { rulesFor } from "./rules-for.ts"
import { recordOf, timesAsked, timesOf, useRatio } from "./use-record.ts"

/**
 * Decides for each memory: promote, deprecate, decay, expire, demote or flag, the first that applies. Changes nothing;
 * memories without a decision are left out.
 */
export function evaluateMemories(memories: readonly Memory[], policy: Policy, now: string): Decision[] {
  return memories
    .filter(({ status }) => status !== "deprecated")
    .map((memory) => evaluate(memory, policy, now))
    .filter((decision) => decision !== undefined)
}

function evaluate(memory: Memory, policy: Policy, now: string): Decision | undefined {
  if (deservesPromotion(memory, policy)) return promote(memory, policy, now)
  const ending = endingOf(memory, policy, now)
  if (ending && protectionOf(memory) === undefined) return end(memory, ending)
  const flags = flagsOf(memory)
  if (hasLostItsPlace(memory))
    return { ...unchanged(memory), result: "demote", status: "provisional", flags, reason: recordOf(memory) }
  if (flags.length === memory.flags.length) return undefined
  const reason = `its mistake happened ${timesOf(memory.metrics.misses)} although it was in the context`
  return { ...unchanged(memory), result: "flag", flags, reason }
}

/**
 * Only tasks with a context request count as opportunities, as in the ratio. A miss cancels a hit: a memory that fails
 * as often as it helps has proved nothing.
 */
export function deservesPromotion(memory: Memory, policy: Policy): boolean {
  const { min_opportunities, min_use_ratio, min_regret_hits } = rulesFor(memory, policy).promotion
  const { hits, misses } = memory.metrics
  return (
    memory.status === "provisional" &&
    timesAsked(memory) >= min_opportunities &&
    useRatio(memory) >= min_use_ratio &&
    hits - misses >= min_regret_hits
  )
}

/**
 * A memory promoted by luck shows it eventually. It is demoted to trial rather than ended, and can be promoted again.
 */
function hasLostItsPlace(memory: Memory): boolean {
  const { hits, misses } = memory.metrics
  if (memory.status !== "active" || memory.origin === "user" || protectionOf(memory) !== undefined) return false
  return misses >= fewestMisses && misses >= hits
}

const lasting = ["invariant", "preference", "pattern"]

function promote(memory: Memory, policy: Policy, now: string): Decision {
  const tier = lasting.includes(memory.kind) ? "long_term" : memory.tier
  const { extend_by_days, remove_on_long_term } = policy.ttl.on_promotion
  const extended = addDays(now, extend_by_days)
  const isEndless = tier === "long_term" && remove_on_long_term
  return {
    ...unchanged(memory),
    result: "promote",
    status: "active",
    tier,
    expires: isEndless ? undefined : later(memory.expires, extended),
    flags: flagsOf(memory),
    reason: recordOf(memory),
  }
}

function end(memory: Memory, { result, reason }: Ending): Decision {
  return { ...unchanged(memory), result, status: "deprecated", reason }
}

function unchanged({ id, version, status, tier, expires, flags }: Memory): Omit<Decision, "result" | "reason"> {
  return { memory: id, version, status, tier, expires, flags }
}

/** Two misses are unlikely to be chance: flag it for review. */
const fewestMisses = 2

function flagsOf({ flags, metrics }: Memory): string[] {
  return metrics.misses < fewestMisses || flags.includes("misses") ? flags : [...flags, "misses"]
}

/** The later of two expiries; undefined means never. */
function later(one: string | undefined, other: string): string | undefined {
  return one === undefined || one > other ? one : other
}
