import type { DeprecationRule, Policy, PromotionRule } from "../../formats/policy.ts"
import type { Decision } from "../learned-store.ts"
import { contradicted, type Memory } from "../memory.ts"

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
  if (isRefuted(memory)) return end(memory, { result: "deprecate", reason: "the user contradicted it twice" })
  if (deservesPromotion(memory, policy)) return promote(memory, policy, now)
  const ending = retirementOf(memory, policy, now)
  if (ending && protectionOf(memory) === undefined) return end(memory, ending)
  const flags = flagsOf(memory)
  if (hasLostItsPlace(memory))
    return { ...unchanged(memory), result: "demote", status: "provisional", flags, reason: recordOf(memory) }
  if (flags.length === memory.flags.length) return undefined
  const reason = `its mistake happened ${timesOf(memory.metrics.misses)} although it was in the context`
  return { ...unchanged(memory), result: "flag", flags, reason }
}

/** The user's words end any memory, also one of the user's own words; a pinned one stays for the user to decide. */
function isRefuted({ flags, pinned }: Memory): boolean {
  return !pinned && flags.includes(contradicted.twice)
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
    !isContradicted(memory) &&
    timesAsked(memory) >= min_opportunities &&
    useRatio(memory) >= min_use_ratio &&
    hits - misses >= min_regret_hits
  )
}

/** The user said the opposite once, and it has not helped several times as often as it failed. */
export function isContradicted({ flags, metrics: { hits, misses } }: Memory): boolean {
  const isMeant = flags.includes(contradicted.once) || flags.includes(contradicted.twice)
  return isMeant && hits < hitsPerMiss * misses
}

const hitsPerMiss = 4

/**
 * A memory promoted by luck shows it eventually. It is demoted to trial rather than ended, and can be promoted again.
 */
function hasLostItsPlace(memory: Memory): boolean {
  const { hits, misses } = memory.metrics
  if (memory.status === "active" && isContradicted(memory) && !memory.pinned) return true
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

function end(memory: Memory, { result, reason }: Retirement): Decision {
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

type Retirement = { result: Extract<Decision["result"], "deprecate" | "decay" | "expire">; reason: string }

/** Why a memory should end, regardless of protection: the first reason that applies. */
export function retirementOf(memory: Memory, policy: Policy, now: string): Retirement | undefined {
  const rules = rulesFor(memory, policy)
  if (isPassedOver(memory, rules, now)) return { result: "deprecate", reason: recordOf(memory) }
  if (hasFailed(memory)) return { result: "deprecate", reason: failureOf(memory) }
  const idle = idleDays(memory, now)
  const isOnTrial = memory.status === "provisional" && memory.expires !== undefined && memory.expires > now
  if (rules.decayDays !== undefined && idle > rules.decayDays && !isOnTrial) {
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

/** The policy's rules for a memory of this kind. */
type Rules = {
  promotion: PromotionRule
  deprecation: DeprecationRule
  /** Days it may go unused; undefined: no limit. */
  decayDays: number | undefined
}

/** Looks up the rules by kind: a negative pattern is a gotcha if there are rules for it, otherwise a pattern. */
export function rulesFor(memory: Pick<Memory, "kind" | "polarity">, policy: Policy): Rules {
  const names = memory.kind === "pattern" && memory.polarity === -1 ? ["gotcha", "pattern"] : [memory.kind]
  const days = lookUp(policy.decay, names)?.max_inactive_days
  return {
    promotion: lookUp(policy.promotion, names) ?? policy.promotion.default,
    deprecation: lookUp(policy.deprecation, names) ?? policy.deprecation.default,
    decayDays: days === "never" ? undefined : days,
  }
}

function lookUp<Rule>(rules: Record<string, Rule>, names: readonly string[]): Rule | undefined {
  const name = [...names, "default"].find((each) => Object.hasOwn(rules, each))
  return name === undefined ? undefined : rules[name]
}

/** The share of matching contexts in which a memory was used. Tasks without a context request do not count. */
export function useRatio(memory: Memory): number {
  const asked = timesAsked(memory)
  return asked === 0 ? 0 : memory.metrics.useCount / asked
}

export function timesAsked({ metrics }: Memory): number {
  return metrics.useCount + metrics.passedOver
}

/** A memory's record: "5 opportunities, used in 4 of 5 contexts, helped twice". */
export function recordOf(memory: Memory): string {
  const { opportunities, useCount, hits, misses } = memory.metrics
  const asked = timesAsked(memory)
  const parts = [
    opportunities === 1 ? "1 opportunity" : `${opportunities} opportunities`,
    asked === 0
      ? "no context requested"
      : `used in ${useCount}${asked === opportunities ? "" : ` of ${asked} contexts`}`,
    hits === 0 ? "never seen to help" : `helped ${timesOf(hits)}`,
    ...(misses === 0 ? [] : [`failed ${timesOf(misses)}`]),
  ]
  return parts.join(", ")
}

/** "once", "twice", "3 times". */
export function timesOf(number: number): string {
  return number === 1 ? "once" : number === 2 ? "twice" : `${number} times`
}

export function countOf(number: number, unit: string): string {
  return `${number} ${unit}${number === 1 ? "" : "s"}`
}

const day = 86_400_000

export function addDays(moment: string, days: number): string {
  return new Date(Date.parse(moment) + days * day).toISOString()
}

function daysBetween(earlier: string, later: string): number {
  return (Date.parse(later) - Date.parse(earlier)) / day
}
