import type { Episode, Finding, Frustration } from "../episodes/episode.ts"
import type { EvidenceSource, MemoryKind, MemoryScope, MemoryTier, OwnerType, Trigger } from "../store/memory.ts"

/** What one call is told: an episode, what is known already, and the rules. Redacted by the caller. */
export type WriterInput = {
  episode: WorkOfEpisode
  findings: Finding[]
  /** At most 20 that bear on it, under the small numbers by which the answer names them. */
  known: KnownMemory[]
  owner: { type: OwnerType; id: string }
  /** What the project is, at most 4,000 characters; "" when nobody said. */
  project: string
  mostMemories: number
}

/** An episode without where it was written down: another program may have put it together. */
export type WorkOfEpisode = Omit<Episode, "client" | "session" | "transcript">

export type KnownMemory = {
  alias: number
  id: string
  kind: MemoryKind
  tier: MemoryTier
  key: string | undefined
  text: string
  /** Written for the episode that this one continues. */
  justWritten: boolean
}

export type Operation =
  | ({ op: "ADD" } & NewText)
  | ({ op: "UPDATE"; target: string | undefined } & NewText)
  | { op: "DEPRECATE"; target: string; reason: string; evidence: ProposedEvidence }

/** A memory as a writer proposes it; commit decides. `target` above is a memory's id, no alias. */
export type NewText = {
  scope: MemoryScope
  pathPrefix?: string
  owner: { type: OwnerType; id: string }
  kind: MemoryKind
  tier: MemoryTier
  polarity: 1 | -1
  key?: string
  text: string
  /** A number of days, null for none, undefined for the tier's default. */
  ttlDays?: number | null
  confidence: number
  /** What showed at its origin, where that is less than all of the episode. */
  trigger?: Trigger
  evidence: ProposedEvidence
}

/** What speaks for it: words that are learned, or the end of those that are known. */
export type ProposedEvidence = {
  source: EvidenceSource
  frustration: Frustration
  /** Index of the event that shows it. */
  event?: number
}

export type WriterAnswer =
  /** `dropped` tells in words what was proposed and not taken over, for the log. */
  | { kind: "written"; operations: Operation[]; discardReason?: string; dropped: string[] }
  /** The writer cannot be reached or gave no usable answer: the episode waits. */
  | { kind: "later"; reason: string }
  /** The model will not answer this, ever: the episode is marked skipped. */
  | { kind: "refused"; reason: string }

/** Turns an episode into operations with one call; never throws but for a bug. */
export type Writer = {
  /** `rules`, `model:anthropic/claude-…`, `command:claude`. */
  id: string
  write(input: WriterInput, signal?: AbortSignal): Promise<WriterAnswer>
}
