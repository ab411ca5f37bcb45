import { isRecord } from "./objects.ts"
import type { PartialPolicy } from "./policy-toml.ts"

/** How long learned memory keeps items, and what it hands out: `memory_policy.toml`. Keys are the file's. */
export type Policy = {
  promotion: Record<"default", PromotionRule> & Record<string, PromotionRule>
  deprecation: Record<"default", DeprecationRule> & Record<string, DeprecationRule>
  decay: Record<string, { max_inactive_days: number | "never" }>
  regret_weights: { alpha_errors: number; beta_retries: number; gamma_tokens: number }
  baseline: { window: number; min_episodes: number; holdout_rate: number }
  ttl: {
    default: { short_term_days: number; emergency_days: number }
    on_promotion: { extend_by_days: number; remove_on_long_term: boolean }
  }
  retrieval: {
    budget_tokens: number
    top_k: number
    opportunity_similarity: number
    guard_lane: number
    guard_max: number
    keyed_lane: number
    min_confidence: number
    weights: {
      semantic_similarity: number
      status_active_boost: number
      tier_boost: number
      kind_boost: number
      use_count_factor: number
    }
  }
  commit: {
    duplicate_similarity: number
    refine_similarity: number
    conflict_similarity: number
    drop_confidence: number
  }
  /** Other thresholds for an embedder, by its id. */
  similarity: Record<
    string,
    Partial<
      Record<"opportunity_similarity" | "duplicate_similarity" | "refine_similarity" | "conflict_similarity", number>
    >
  >
  writer: { max_memories_per_episode: number; max_attempts: number; allow_team: boolean; prefilter: boolean }
  episode: {
    idle_minutes: number
    gap_minutes: number
    max_events: number
    max_tokens: number
    boundary_score: number
    boundary_weights: BoundaryWeights
  }
  graduate: { mode: "propose" | "auto" | "off" }
  evaluate: { every_episodes: number; every_hours: number }
  /** Which guards and rules, by id or handle, make the client ask the user before a tool call that they forbid. */
  guards: { ask: string[] }
}

/** Which memories a rule can apply to: all, one kind, or the patterns that say what not to do, which are called gotchas. */
export const ruleNames = ["default", "preference", "invariant", "pattern", "gotcha", "guard", "note"] as const

export type PromotionRule = { min_opportunities: number; min_use_ratio: number; min_regret_hits: number }
export type DeprecationRule = { min_opportunities: number; max_use_ratio: number }

export type BoundaryWeights = {
  gap_long: number
  gap_short: number
  opener: number
  continuation: number
  low_overlap: number
  high_overlap: number
  new_files: number
  known_files: number
  success: number
  failure: number
  branch: number
  model: number
}

/** The defaults. */
export const builtInPolicy: Policy = {
  promotion: {
    default: { min_opportunities: 5, min_use_ratio: 0.6, min_regret_hits: 2 },
    invariant: { min_opportunities: 3, min_use_ratio: 0.5, min_regret_hits: 1 },
    guard: { min_opportunities: 10, min_use_ratio: 0.3, min_regret_hits: 3 },
  },
  deprecation: {
    default: { min_opportunities: 10, max_use_ratio: 0.1 },
    guard: { min_opportunities: 20, max_use_ratio: 0.05 },
    note: { min_opportunities: 5, max_use_ratio: 0.2 },
  },
  decay: {
    guard: { max_inactive_days: 90 },
    gotcha: { max_inactive_days: 180 },
    note: { max_inactive_days: 60 },
    pattern: { max_inactive_days: 180 },
    preference: { max_inactive_days: 365 },
    invariant: { max_inactive_days: "never" },
  },
  regret_weights: { alpha_errors: 1, beta_retries: 0.5, gamma_tokens: 0.001 },
  baseline: { window: 50, min_episodes: 5, holdout_rate: 0 },
  ttl: {
    default: { short_term_days: 30, emergency_days: 7 },
    on_promotion: { extend_by_days: 180, remove_on_long_term: true },
  },
  retrieval: {
    budget_tokens: 400,
    top_k: 20,
    opportunity_similarity: 0.35,
    guard_lane: 0.25,
    guard_max: 3,
    keyed_lane: 0.4,
    min_confidence: 0.6,
    weights: {
      semantic_similarity: 0.5,
      status_active_boost: 0.2,
      tier_boost: 0.15,
      kind_boost: 0.1,
      use_count_factor: 0.05,
    },
  },
  commit: { duplicate_similarity: 0.95, refine_similarity: 0.85, conflict_similarity: 0.85, drop_confidence: 0.4 },
  similarity: {},
  writer: { max_memories_per_episode: 3, max_attempts: 5, allow_team: false, prefilter: true },
  episode: {
    idle_minutes: 10,
    gap_minutes: 30,
    max_events: 1000,
    max_tokens: 60_000,
    boundary_score: 0.5,
    boundary_weights: {
      gap_long: 0.5,
      gap_short: 0.2,
      opener: 0.45,
      continuation: -0.5,
      low_overlap: 0.3,
      high_overlap: -0.25,
      new_files: 0.15,
      known_files: -0.25,
      success: 0.2,
      failure: -0.25,
      branch: 0.3,
      model: 0.35,
    },
  },
  graduate: { mode: "propose" },
  evaluate: { every_episodes: 10, every_hours: 24 },
  guards: { ask: [] },
}

/** The policy with its thresholds for this embedder: similarity values differ from one to the next. */
export function policyForEmbedder(policy: Policy, embedder: string | undefined): Policy {
  const { opportunity_similarity, ...commit } = (embedder === undefined ? undefined : policy.similarity[embedder]) ?? {}
  return {
    ...policy,
    retrieval: { ...policy.retrieval, ...(opportunity_similarity === undefined ? {} : { opportunity_similarity }) },
    commit: { ...policy.commit, ...commit },
  }
}

/** The effective policy: the defaults, overridden key by key by each layer in turn. */
export function mergePolicies(layers: readonly PartialPolicy[]): Policy {
  const merged = layers.reduce<object>(merge, builtInPolicy) as Policy // the layers contain only keys of a policy
  return { ...merged, promotion: complete(merged.promotion), deprecation: complete(merged.deprecation) }
}

function merge(under: object, over: object): object {
  const merged: Record<string, unknown> = { ...under }
  for (const [key, value] of Object.entries(over)) {
    const old = merged[key]
    merged[key] = isRecord(old) && isRecord(value) ? merge(old, value) : value
  }
  return merged
}

/** A partial rule for a kind inherits the rest from the rule that would otherwise apply. */
function complete<Rule extends object>(rules: Record<"default", Rule> & Record<string, Rule>) {
  const whole: Record<"default", Rule> & Record<string, Rule> = { ...rules }
  for (const [name, rule] of Object.entries(rules)) {
    whole[name] = { ...rules.default, ...(name === "gotcha" ? rules.pattern : {}), ...rule }
  }
  return whole
}
