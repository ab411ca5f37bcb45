import type { Frustration } from "./episode.ts"

export const memoryKinds = ["preference", "invariant", "pattern", "guard", "note"] as const
export type MemoryKind = (typeof memoryKinds)[number]
export const memoryTiers = ["short_term", "long_term", "emergency"] as const
export type MemoryTier = (typeof memoryTiers)[number]
export const memoryScopes = ["global", "project", "repo_path"] as const
export type MemoryScope = (typeof memoryScopes)[number]
export const memoryStatuses = ["provisional", "active", "deprecated"] as const
export type MemoryStatus = (typeof memoryStatuses)[number]
export const ownerTypes = ["user", "team", "org"] as const
export type OwnerType = (typeof ownerTypes)[number]
export const evidenceSources = [
  "failure_then_success",
  "user_correction",
  "explicit_statement",
  "pattern_observed",
  "guard_triggered",
] as const
export type EvidenceSource = (typeof evidenceSources)[number]

/** The source of a memory's text and its level of trust; see `trustOf`. */
export const memoryOrigins = ["user", "verified", "agent", "tool", "import"] as const
export type MemoryOrigin = (typeof memoryOrigins)[number]
export type Trust = 0 | 1 | 2 | 3

/** A learned memory: on trial until use proves it. */
export type Memory = {
  /** `m-<16 hex of episode and operation>`. */
  id: string
  /** undefined: every project of the owner */
  project: string | undefined
  scope: MemoryScope
  pathPrefix: string | undefined
  owner: { type: OwnerType; id: string }
  kind: MemoryKind
  tier: MemoryTier
  polarity: 1 | -1
  key: string | undefined
  text: string
  status: MemoryStatus
  confidence: number
  expires: string | undefined
  pinned: boolean
  /**
   * `conflict`, `review`, `misses`, `contradicted`, `share`, `withheld`: reasons for a review. `graduated`, `skill`: proposed to the
   * team; `refused`: the team declined it.
   */
  flags: string[]
  trigger: Trigger
  origin: MemoryOrigin
  trust: Trust
  /** The memory it rewords; a replaced memory is in its history. */
  derivedFrom: string | undefined
  /** Who shared it, and the memory it was copied from; undefined for memories learned here. */
  contributedBy: string | undefined
  sourceMemory: string | undefined
  version: number
  created: string
  updated: string
  metrics: MemoryMetrics
  /** The number of pieces of evidence. */
  evidence: number
}

/** Flags of a memory whose opposite the user said: it is not promoted any more, and the second time it ends. */
export const contradicted = { once: "contradicted", twice: "contradicted twice" } as const

/** What its source episode showed: when one of these occurs again, the memory is tested. */
export type Trigger = { tools: string[]; heads: string[]; paths: string[]; fingerprints: string[] }

export type MemoryMetrics = {
  useCount: number
  /** Tasks for which it was eligible and relevant, injected or not. */
  opportunities: number
  /**
   * Of these, tasks where it was a candidate but left out of the context. Tasks without a context request do not count.
   */
  passedOver: number
  hits: number
  misses: number
  regretSaved: number
  netRegret: number
  lastUsed: string | undefined
  lastHit: string | undefined
  lastEvaluated: string | undefined
}

/** The metrics of a new memory. */
export const noMetrics: MemoryMetrics = {
  useCount: 0,
  opportunities: 0,
  passedOver: 0,
  hits: 0,
  misses: 0,
  regretSaved: 0,
  netRegret: 0,
  lastUsed: undefined,
  lastHit: undefined,
  lastEvaluated: undefined,
}

export type Evidence = {
  id: string
  memory: string
  episode: string
  project: string
  source: EvidenceSource
  frustration: Frustration
  created: string
  /** Its place in the transcript, and the quote. */
  transcript: string
  line: number
  quote: string
  /** The sub-agent in whose work it was seen. */
  agent?: string
}
