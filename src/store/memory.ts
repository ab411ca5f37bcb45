import type { Frustration } from "../episodes/episode.ts"

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

/** Where a memory's words come from, and how far they can be trusted; see `trustOf`. */
export const memoryOrigins = ["user", "verified", "agent", "tool", "import"] as const
export type MemoryOrigin = (typeof memoryOrigins)[number]
export type Trust = 0 | 1 | 2 | 3

/** What Drey learned: on trial until use proves it. */
export type Memory = {
  /** `m-<16 hex of episode and operation>`. */
  id: string
  /** undefined: every project of the owner. */
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
  /** `conflict`, `review`, `misses`, `share`, `withheld`: why a person should look. `graduated`, `skill`: what the team was told; `refused`: it did not want it. */
  flags: string[]
  trigger: Trigger
  origin: MemoryOrigin
  trust: Trust
  /** The memory whose words it refines; what it replaces with other words is in its history. */
  derivedFrom: string | undefined
  /** Who shared it, and which of that person's memories it is a copy of; undefined for what was learned here. */
  contributedBy: string | undefined
  sourceMemory: string | undefined
  version: number
  created: string
  updated: string
  metrics: Metrics
  /** How many pieces of evidence speak for it. */
  evidence: number
}

/** What showed at its origin: when one of these turns up again, the memory was put to the test. */
export type Trigger = { tools: string[]; heads: string[]; paths: string[]; fingerprints: string[] }

export type Metrics = {
  useCount: number
  /** Tasks for which it was eligible and relevant, whether or not it was handed out. */
  opportunities: number
  /** Of these: it was a candidate for a context and did not make it. A task for which no context was asked for passes nobody over. */
  passedOver: number
  hits: number
  misses: number
  regretSaved: number
  netRegret: number
  lastUsed: string | undefined
  lastHit: string | undefined
  lastEvaluated: string | undefined
}

/** What a memory has before anything happened to it. */
export const noMetrics: Metrics = {
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
  /** Where it stands in the transcript, and what it says there. */
  transcript: string
  line: number
  quote: string
}
