import type { Policy } from "../formats/policy.ts"
import type { Baseline } from "../store/learned-store.ts"

/** How it went where a memory was at hand. */
export type Trial = {
  /** Something happened in which the memory could show what it is worth. */
  exposed: boolean
  /** The error it was learned from came back all the same. */
  recurred: boolean
  /** The user had to say what the memory says. */
  corrected: boolean
  /** The assistant named it, or somebody reported that it helped. */
  credited: boolean
  errors: number
  retries: number
  testsFailed: boolean
  /** How many memories were at hand; they share the credit. */
  injected: number
}

export type Verdict = { hit: boolean; miss: boolean; regretSaved: number; netRegret: number }

/**
 * What one use says about a memory that was handed out. The project's own average without any memory is the yardstick; as long as there
 * is none, tests that did not fail must do, and nothing is credited.
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
