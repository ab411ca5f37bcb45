import type { MemoryExplanation } from "../../learning/explain-memory.ts"
import type { LearnedDetail } from "../../web/api.ts"

/** A learned memory as pages show it: its record, its next steps, its history. */
export function showLearned({
  memory,
  outlook,
  audit,
}: Pick<MemoryExplanation, "memory" | "outlook" | "audit">): LearnedDetail {
  const { kind, tier, confidence, polarity, metrics } = memory
  const { useCount, opportunities, passedOver, hits, misses, regretSaved, lastUsed, lastHit } = metrics
  const shown = {
    "handed out": useCount,
    "fitted a task": opportunities,
    "passed over": passedOver,
    hits,
    misses,
    "trouble saved": Math.round(regretSaved * 100) / 100,
    "last used": lastUsed,
    "last hit": lastHit,
  }
  return {
    kind,
    tier: tier.replaceAll("_", " "),
    confidence,
    polarity,
    metrics: Object.entries(shown).flatMap(([name, value]) =>
      value === undefined ? [] : { name, value: String(value) },
    ),
    outlook,
    history: audit.map(({ ts, action, reason }) => ({ at: ts, action, reason })),
  }
}
