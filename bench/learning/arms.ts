import { builtInPolicy } from "../../src/formats/policy.ts"
import type { Baseline } from "../../src/memories/learned-store.ts"
import { contradicted as flags, type Memory } from "../../src/memories/memory.ts"
import { evaluateMemories, rulesFor } from "../../src/memories/review/evaluation.ts"
import { judgeUse } from "../../src/memories/review/use-outcomes.ts"

/** A way to decide what stays. It sees what Drey would see and never what a memory is worth. */
export type Arm = {
  name: string
  /** Takes note of a task after it was played. */
  note(seen: Seen): void
  /** Decides, every ten tasks; may change the status of any memory. */
  decide(memories: readonly Memory[], at: { task: number; now: string }): void
}

/** What can be observed about a task. */
export type Seen = {
  task: number
  now: string
  /** Every memory that was eligible and relevant. */
  relevant: readonly Memory[]
  /** What the context held; all but `exposed` only where a memory was exposed. */
  injected: readonly { memory: Memory; exposed: boolean; recurred: boolean; shown: boolean; contradicted: boolean }[]
  /** False for the tasks that make the baseline. */
  isAsked: boolean
  errors: number
  retries: number
  corrected: boolean
  /** Over the last tasks without any memory, and over all so far. */
  baseline: Baseline
  overall: Baseline
}

const policy = builtInPolicy

/** The rules of `src/upkeep`, called as the product calls them. */
export function dreyArm(): Arm {
  return {
    name: "Drey",
    note({ relevant, injected, isAsked, now, errors, retries, baseline }) {
      const handedOut = new Set(injected.map(({ memory }) => memory))
      for (const memory of relevant) {
        memory.metrics.opportunities++
        if (!handedOut.has(memory) && isAsked) memory.metrics.passedOver++
      }
      for (const { memory, exposed, recurred, shown, contradicted } of injected) {
        const trial = { exposed, failed: recurred, shown, contradicted, errors, retries }
        const { hit, miss } = judgeUse(
          { ...trial, credited: false, testsFailed: false, injected: injected.length },
          baseline,
          policy,
        )
        memory.metrics.useCount++
        memory.metrics.hits += Number(hit)
        memory.metrics.misses += Number(miss)
        if (contradicted) memory.flags = memory.flags.length === 0 ? [flags.once] : [flags.twice]
        memory.metrics.lastUsed = now
        if (hit) memory.metrics.lastHit = now
      }
    },
    decide(memories, { now }) {
      const byId = new Map(memories.map((memory) => [memory.id, memory]))
      for (const { memory: id, status, tier, expires, flags: kept } of evaluateMemories(memories, policy, now)) {
        const memory = byId.get(id)
        if (memory) Object.assign(memory, { status, tier, expires, flags: kept })
      }
    },
  }
}

/** The rules as they read at first sight: a chance is what was used, and every difference from the average is credit. */
export function literalArm(): Arm {
  const { alpha_errors, beta_retries } = policy.regret_weights
  return {
    name: "literal",
    note({ injected, errors, retries, overall }) {
      for (const { memory } of injected) {
        const saved =
          alpha_errors * Math.max(0, overall.errors - errors) + beta_retries * Math.max(0, overall.retries - retries)
        memory.metrics.useCount++
        memory.metrics.opportunities++
        memory.metrics.regretSaved += saved
        memory.metrics.hits += Number(saved > 0)
      }
    },
    decide(memories) {
      for (const memory of memories) {
        const { promotion, deprecation } = rulesFor(memory, policy)
        const { opportunities, useCount, hits } = memory.metrics
        if (memory.status !== "provisional" || opportunities < promotion.min_opportunities) continue
        const ratio = useCount / opportunities
        if (ratio >= promotion.min_use_ratio && hits >= promotion.min_regret_hits) activate(memory)
        else if (ratio <= deprecation.max_use_ratio && opportunities >= deprecation.min_opportunities)
          memory.status = "deprecated"
      }
    },
  }
}

/** What is used often is good: promoted at the fifth use, nothing ends. */
export function useCountArm(): Arm {
  return {
    name: "use count",
    note: countUses,
    decide(memories) {
      for (const memory of memories)
        if (memory.status === "provisional" && memory.metrics.useCount >= 5) activate(memory)
    },
  }
}

/** What was used lately is good: promoted while used in the last 100 tasks, ended when not in the last 500. */
export function recencyArm(): Arm {
  const lastUse = new Map<Memory, number>()
  return {
    name: "recency",
    note(seen) {
      countUses(seen)
      for (const { memory } of seen.injected) lastUse.set(memory, seen.task)
    },
    decide(memories, { task }) {
      for (const memory of memories) {
        const idle = task - (lastUse.get(memory) ?? 0)
        if (memory.status === "deprecated") continue
        if (idle > 500) memory.status = "deprecated"
        else if (idle > 100 || !lastUse.has(memory)) memory.status = "provisional"
        else activate(memory)
      }
    },
  }
}

function countUses({ injected }: Seen): void {
  for (const { memory } of injected) memory.metrics.useCount++
}

function activate(memory: Memory): void {
  memory.status = "active"
  memory.tier = "long_term"
}
