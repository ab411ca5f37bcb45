import type { DeprecationRule, Policy, PromotionRule } from "../formats/policy.ts"
import type { Memory } from "../store/memory.ts"

/** The policy's rules for a memory of this kind. */
export type Rules = {
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
