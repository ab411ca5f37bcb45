import type { EvidenceSource, MemoryOrigin, Trust } from "./memory.ts"

const trusts: Record<MemoryOrigin, Trust> = { user: 3, verified: 2, agent: 1, tool: 0, import: 0 }

/** The level of trust of a text, by its source. */
export function trustOf(origin: MemoryOrigin): Trust {
  return trusts[origin]
}

const origins: Record<EvidenceSource, MemoryOrigin> = {
  explicit_statement: "user",
  user_correction: "user",
  failure_then_success: "verified",
  guard_triggered: "verified",
  pattern_observed: "agent",
}

export function originOf(source: EvidenceSource): MemoryOrigin {
  return origins[source]
}
