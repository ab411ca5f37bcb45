import type { Policy } from "../formats/policy.ts"
import type { Baseline } from "../store/learned-store.ts"

/** What happened in a task where a memory was injected. */
export type Trial = {
  /** The memory was tested: a situation occurred to which it applies. */
  exposed: boolean
  /** The error it was learned from occurred again. */
  recurred: boolean
  /** The user had to repeat what the memory says. */
  corrected: boolean
  /** The assistant cited it, or it was reported as helpful. */
  credited: boolean
  errors: number
  retries: number
  testsFailed: boolean
  /** The number of injected memories; they share the credit. */
  injected: number
}

export type Verdict = { hit: boolean; miss: boolean; regretSaved: number; netRegret: number }

/**
 * The outcome of one use of an injected memory, compared with the project's baseline without memories. Without a
 * baseline yet, passing tests decide, and nothing is credited.
 */
export function judgeUse(trial: Trial, baseline: Baseline, policy: Policy): Verdict {
  const { exposed, recurred, corrected, credited } = trial
  const hasBaseline = baseline.episodes >= policy.baseline.min_episodes
  const wentWell = hasBaseline ? trial.errors <= baseline.errors : !trial.testsFailed
  const hit = !recurred && !corrected && (credited || (exposed && wentWell))
  const miss = exposed && recurred
  if (!exposed || !hasBaseline) return { hit, miss, regretSaved: 0, netRegret: 0 }
  const { alpha_errors, beta_retries } = policy.regret_weights
  const errors = alpha_errors * (baseline.errors - trial.errors)
  const retries = beta_retries * (baseline.retries - trial.retries)
  return {
    hit,
    miss,
    regretSaved: (Math.max(0, errors) + Math.max(0, retries)) / trial.injected,
    netRegret: (errors + retries) / trial.injected,
  }
}
