import type { PartialPolicy } from "./parse-policy.ts"
import { builtInPolicy, type Policy } from "./policy.ts"

/** The policy in force: what is built in, changed key by key by each layer in turn. */
export function mergePolicies(layers: readonly PartialPolicy[]): Policy {
  const merged = layers.reduce<object>(merge, builtInPolicy) as Policy // the layers hold only what a policy has
  return { ...merged, promotion: complete(merged.promotion), deprecation: complete(merged.deprecation) }
}

function merge(under: object, over: object): object {
  const merged: Record<string, unknown> = { ...under }
  for (const [key, value] of Object.entries(over)) {
    const old = merged[key]
    merged[key] = isTable(old) && isTable(value) ? merge(old, value) : value
  }
  return merged
}

function isTable(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** A rule for a kind that says only a part takes the rest from the rule that would hold without it. */
function complete<Rule extends object>(rules: Record<"default", Rule> & Record<string, Rule>) {
  const whole: Record<"default", Rule> & Record<string, Rule> = { ...rules }
  for (const [name, rule] of Object.entries(rules)) {
    whole[name] = { ...rules.default, ...(name === "gotcha" ? rules.pattern : {}), ...rule }
  }
  return whole
}
