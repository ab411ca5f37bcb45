import type { Episode, EpisodeFinding, Frustration } from "./episode.ts"
import type { EvidenceSource, MemoryKind, MemoryScope, MemoryTier, OwnerType, Trigger } from "./memory.ts"

/** The input of one call: an episode, known memories, and limits. Redacted by the caller. */
export type WriterInput = {
  episode: WorkOfEpisode
  findings: EpisodeFinding[]
  /** At most 20 relevant ones, under the small numbers by which the answer refers to them. */
  known: KnownMemory[]
  owner: { type: OwnerType; id: string }
  /** A description of the project, at most 4,000 characters; "" if unknown. */
  project: string
  mostMemories: number
  /** Where each failure of this episode happened in earlier sessions of the project, one place for each, by its key. */
  earlier?: ReadonlyMap<string, readonly EvidencePlace[]>
}

/** An episode without its source: another program may have built it. */
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

/** A memory proposed by a writer; commit decides. `target` above is a memory's id, not an alias. */
export type NewText = {
  scope: MemoryScope
  pathPrefix?: string
  owner: { type: OwnerType; id: string }
  kind: MemoryKind
  tier: MemoryTier
  polarity: 1 | -1
  key?: string
  text: string
  /** A number of days, null for no expiry, undefined for the tier's default. */
  ttlDays?: number | null
  confidence: number
  /** The trigger, if it is less than that of the whole episode. */
  trigger?: Trigger
  evidence: ProposedEvidence
}

/** An event of an episode that is stored already. */
export type EvidencePlace = { episode: string; event: number }

/** The evidence for new text, or for the end of a known memory. */
export type ProposedEvidence = {
  source: EvidenceSource
  frustration: Frustration
  /** Index of the event that shows it. */
  event?: number
  /** Where the same was seen before, in other sessions. */
  earlier?: readonly EvidencePlace[]
  /** The words of the episode that show it. */
  quote?: string
}

export type WriterAnswer =
  /** `dropped` lists rejected proposals as text, for the log. */
  | { kind: "written"; operations: Operation[]; discardReason?: string; dropped: string[] }
  /** The writer is unreachable or gave no usable answer: the episode waits. */
  | { kind: "later"; reason: string }
  /** The model refuses for good: the episode is marked skipped. */
  | { kind: "refused"; reason: string }

/** Turns an episode into operations with one call; throws only for a bug. */
export type Writer = {
  /** `rules`, `model:anthropic/claude-…`, `command:claude`. */
  id: string
  write(input: WriterInput, signal?: AbortSignal, onReply?: (printed: string) => void): Promise<WriterAnswer>
  /** Asks its model anything else; missing where there is no model. */
  ask?(
    question: Question,
    signal?: AbortSignal,
  ): Promise<{ kind: "text"; text: string } | { kind: "failed"; reason: string }>
}

export type Question = { system: string; prompt: string }
