import type { ClientId, Position } from "../formats/client-events.ts"

import type { StoredConversation } from "./conversations.ts"
import type { Episode, EpisodeEvent, EpisodeStats } from "./episode.ts"
import type { Evidence, Memory, MemoryKind, MemoryStatus, MemoryTier, OwnerType, Trigger } from "./memory.ts"
import type { SyncedMemories, SyncRecord } from "./memory-sync.ts"
import type { CheckoutMarks } from "./projects.ts"
import type { Operation } from "./writer.ts"

/** Learned memory. Every method is one durable transaction; any number of processes may use the store at once. */
export type LearnedStore = {
  /**
   * Registers a project; a second root of the same project is stored as an alias. If the repository at this root had
   * another id, `marks.formerly` decides whether its data moves to the new one. Returns the id the project is stored
   * under; every method also accepts an old id.
   */
  registerProject(project: string, root: string, marks?: CheckoutMarks): Promise<string>
  /** Earlier project ids of this checkout, each with its number of active memories. */
  formerProjects(
    project: string,
    root: string,
    gitFolder: string | undefined,
  ): Promise<{ id: string; memories: number }[]>
  projects(): Promise<{ id: string; root: string; aliases: string[] }[]>
  /** Changes whenever a memory visible to this project changes; 0 for an unknown project. */
  version(project: string): Promise<number>

  // Reading transcripts
  position(client: ClientId, path: string, session?: string): Promise<Position | undefined>
  /** The record ids that have not been stored yet. */
  unseen(client: ClientId, ids: readonly string[]): Promise<Set<string>>
  /** Stores one batch atomically: position, record ids, events of open tasks, closed episodes. */
  takeIn(intake: Intake): Promise<void>
  /** Sessions with events that are not in an episode yet, with those events. */
  openTasks(filter?: OpenTaskFilter): Promise<OpenTask[]>
  /** The project root of a session's events; undefined for an unknown session. */
  rootOfSession(client: ClientId, session: string): Promise<string | undefined>

  // Learning from episodes
  /**
   * Episodes not yet processed by a writer, in processing order: sessions by start, then by time. Parked ones (too many
   * attempts) only on request.
   */
  waiting(options?: { project?: string; limit?: number; parked?: boolean; maxAttempts?: number }): Promise<Episode[]>
  /** A project's agent sessions with their closed episodes, newest first; excludes notes from Drey's own sessions. */
  clientSessions(project: string, filter: SessionFilter): Promise<SessionEpisodes[]>
  episode(id: string): Promise<StoredEpisode | undefined>
  /** The months with episodes of a project; a stamp changes with the conversations of its month. */
  conversationMonths(project: string): Promise<Map<string, string>>
  conversations(project: string, month: string): Promise<StoredConversation[]>
  /** Removes what was said and done in episodes; returns the ids that had something to remove. */
  forgetConversations(ids: readonly string[]): Promise<string[]>
  /**
   * Applies a writer's operations and the outcomes of injected memories, and marks the episode processed. Idempotent.
   */
  commit(commit: EpisodeCommit): Promise<CommitOutcome>
  /** Marks an episode processed without a writer, with the reason of the pre-filter or the model, and settles it. */
  skip(episode: string, reason: string, settlement: Settlement, now: string): Promise<void>
  /** Counts a failed attempt to reach the writer; after too many the episode is parked. Returns the attempts so far. */
  postpone(episode: string, reason: string): Promise<number>

  // Memories
  memories(filter: LearnedFilter): Promise<Memory[]>
  /**
   * By id, by handle (`m:4f2a91`) or by id prefix; several when the prefix is ambiguous. With a project, its own and
   * global ones.
   */
  find(name: string, project?: string): Promise<Memory[]>
  history(id: string): Promise<MemoryHistory>
  /** Active memories of a project and global ones with their similarity to a text, nearest first. */
  nearest(query: NearestQuery): Promise<NearMemory[]>
  setPinned(id: string, pinned: boolean, now: string): Promise<void>
  /** `purge` removes the row with all its data and leaves a tombstone of its id; otherwise it is deprecated. */
  forget(ids: readonly string[], options: { purge: boolean; reason: string; now: string }): Promise<string[]>
  /** Applies the user's change to one memory if it still has the version the user has read. */
  editMemory(memory: Pick<Memory, "id" | "version">, edit: MemoryEdit, now: string): Promise<MemoryEditOutcome>
  /** The latest of these changes that the project may see and that can be undone. */
  lastEdit(project: string): Promise<RecordedEdit | undefined>
  /**
   * Undoes the latest change and returns the restored memory's id; undefined when it is not the latest, or the memory
   * changed since.
   */
  undoEdit(project: string, edit: number, now: string): Promise<string | undefined>
  /**
   * Imports memories as they are, skipping ids that exist or were purged; origin becomes `import`. Returns the new ids.
   */
  importMemories(memories: readonly Memory[], now: string): Promise<string[]>

  /** Joins the user's own memories with those of other machines, and returns the result for them. */
  syncWith(remote: readonly SyncRecord[], options: { owner: string; now: string }): Promise<SyncedMemories>

  // The ledger
  /**
   * Records a task for which a context was built, with every eligible and relevant memory. The same open task counts
   * once. Returns the task's id.
   */
  recordTask(task: TaskUse): Promise<string>
  /**
   * The tasks of an episode: by the contexts in its transcript, else by session, else by the user's words at that time.
   */
  tasksOf(episode: Episode): Promise<RecordedTask[]>
  reportOutcome(report: OutcomeReport): Promise<void>
  /** Over this many episodes; defaults to the store's option. */
  baseline(project: string, window?: number): Promise<Baseline>
  /** The same over the episodes with injected memories. */
  record(project: string, window?: number): Promise<Baseline>

  // Review
  /**
   * Applies decisions with their reasons in the audit, and records the evaluation unless disabled; skips memories that
   * changed meanwhile. Returns the applied decisions.
   */
  applyDecisions(
    project: string,
    decisions: readonly Decision[],
    now: string,
    options?: { isEvaluation: boolean },
  ): Promise<Decision[]>
  /** Episodes processed since the last evaluation, its time, and the last processed episode. */
  sinceEvaluation(project: string): Promise<SinceEvaluation>
  /** Episodes with this many attempts count as parked; defaults to the store's option. */
  counts(project?: string, maxAttempts?: number): Promise<StoreCounts>
  close(): Promise<void>
}

export type Intake = {
  /** Undefined when nothing was read: tasks are closed by a timeout or on request. */
  read?: {
    client: ClientId
    path: string
    /** The session, in a database with several. */
    session?: string
    position: Position
    /** Every new record id, whether or not it became part of an episode. */
    seen: readonly string[]
  }
  /** The events of the open task of each touched session, replacing the stored ones; no events: no open task. */
  open: readonly OpenTask[]
  episodes: readonly Episode[]
}

export type OpenTask = {
  client: ClientId
  session: string
  project: string
  transcript: string
  events: EpisodeEvent[]
  continuationOf?: string
}

/** Of one session, or of one project. */
export type OpenTaskFilter = { client: ClientId; session: string } | { project: string }

export type StoredEpisode = Episode & {
  processed: boolean
  attempts: number
  skipReason: string | undefined
}

/** `since`: active at or after it. `of`: only these sessions of one client. `subAgents`: theirs too. */
export type SessionFilter = {
  limit: number
  subAgents?: true
  since?: string | undefined
  of?: { client: string; sessions: readonly string[] } | undefined
}

export type SessionEpisodes = { client: ClientId; session: string; episodes: StoredEpisode[] }

export type EpisodeCommit = {
  /** The id of a waiting episode, or an episode that needs no writer and is stored in the same step. */
  episode: string | Episode
  operations: readonly Operation[]
  /** The requesting owner; all new memories belong to it. */
  owner: { type: OwnerType; id: string }
  /**
   * Set when the text is an agent's own account: origin is the agent, and reported outcomes are not verified.
   * `isAccepted`: the user has reviewed and accepted it, so it may become a guard; trust stays the same.
   */
  account?: { isAccepted: boolean }
  /** Trigger of new memories, from the source episode. */
  trigger: Trigger
  settlement: Settlement
  policy: CommitPolicy
  /** The end of the episode. */
  now: string
  /** The real time, if the episode may be history. */
  learnedAt?: string
}

export type CommitPolicy = {
  duplicateSimilarity: number
  refineSimilarity: number
  conflictSimilarity: number
  dropConfidence: number
  shortTermDays: number
  emergencyDays: number
  allowTeam: boolean
}

export type OperationOutcome =
  | { kind: "added"; id: string; note?: string }
  | { kind: "refined" | "replaced"; id: string; old: string }
  | { kind: "duplicate"; of: string }
  | { kind: "deprecated"; id: string }
  | { kind: "flagged"; id: string; flag: string }
  | { kind: "dropped"; reason: string }

export type CommitOutcome = { kind: "committed"; outcomes: OperationOutcome[] } | { kind: "already" }

/** What an episode shows about memories that were, or could have been, useful in it. */
export type Settlement = {
  /** For every relevant memory of its tasks, and for those relevant to an episode without a context request. */
  uses: SettledUse[]
  /** Whether any memory was injected; if not, the episode counts for the baseline. */
  injected: boolean
}

export type SettledUse = {
  memory: string
  /** Undefined: the agent never asked; a task is created for the record. */
  task: string | undefined
  exposed: boolean
  cited: boolean
  hit: boolean
  miss: boolean
  /** The user said the opposite; a miss as well. */
  contradicted?: true
  regretSaved: number
  netRegret: number
  /** New expiry of a guard that helped. */
  renewedUntil?: string
}

export type LearnedFilter = {
  /** This project's and global ones; undefined: all. */
  project?: string
  statuses?: readonly MemoryStatus[]
  kinds?: readonly MemoryKind[]
  tiers?: readonly MemoryTier[]
  owner?: { type: OwnerType; id: string }
  episode?: string
  /** The maximum number; undefined: all. */
  limit?: number
  /** Those created after this one. */
  after?: Pick<Memory, "id" | "created">
}

export type MemoryHistory = {
  evidence: Evidence[]
  uses: RecordedUse[]
  audit: { ts: string; action: string; reason: string; episode: string | undefined }[]
}

export type RecordedUse = {
  memory: string
  task: string
  session: string | undefined
  episode: string | undefined
  ts: string
  injected: boolean
  rank: number | undefined
  score: number | undefined
  exposed: boolean | undefined
  cited: boolean | undefined
  outcome: "hit" | "miss" | "helped" | "wrong" | undefined
}

export type MemoryEdit =
  /** Rewording; metrics and trust are kept. */
  | { kind: "reword"; text: string }
  /** A replacement stated by the user, on trial. */
  | { kind: "replace"; text: string; reason: string; expires: string | undefined }
  | { kind: "pin"; pinned: boolean }
  | { kind: "forget"; reason: string }

/** `id` is the memory that is or was active; `edit` identifies the change for `undoEdit`. */
export type MemoryEditOutcome =
  | { kind: "done"; id: string; edit: number }
  | { kind: "changed" }
  | { kind: "refused"; reason: string }

export type RecordedEdit = { edit: number; memory: string; ts: string; action: string; text: string }

export type NearestQuery = {
  project: string
  text: string
  now: string
  limit: number
  /** Minimum cosine, unless a trigger, key or path below matches. */
  atLeast?: number
  tools?: readonly string[]
  heads?: readonly string[]
  fingerprints?: readonly string[]
  paths?: readonly string[]
}

/** `by`: what matched, strongest first. */
export type NearMemory = {
  memory: Memory
  similarity: number
  by: ("fingerprint" | "key" | "head" | "path" | "tool" | "meaning")[]
}

export type TaskUse = {
  /** The id of the context. */
  task: string
  project: string
  session: string | undefined
  agent: string | undefined
  /** Hash of the task's text: repeated requests for an open task count once. */
  taskHash: string
  ts: string
  memories: { id: string; injected: boolean; rank: number; score: number }[]
}

export type RecordedTask = { task: string; ts: string; taskHash: string; uses: RecordedUse[] }

export type OutcomeReport = {
  project: string
  task?: string
  session?: string
  outcome: "success" | "failure" | "partial"
  helped: readonly string[]
  wrong: readonly string[]
  note?: string
  ts: string
}

/** Means over the latest processed episodes without injections; not significant below the policy's minimum count. */
export type Baseline = { episodes: number; errors: number; retries: number }

export type SinceEvaluation = {
  episodes: number
  at: string | undefined
  last: Pick<Episode, "end" | "flushReason"> | undefined
}

export type Decision = {
  memory: string
  /** The memory's `version` when it was judged. */
  version: number
  result: "promote" | "demote" | "deprecate" | "decay" | "expire" | "flag" | "graduate" | "skill"
  status: MemoryStatus
  tier: MemoryTier
  expires: string | undefined
  flags: string[]
  reason: string
}

export type StoreCounts = {
  memories: Record<MemoryStatus, number>
  kinds: Record<MemoryKind, number>
  episodes: { processed: number; waiting: number; parked: number; skipped: number }
  openTasks: number
  transcripts: number
  stats?: EpisodeStats
}

/** Mean errors per task with and without injected memories; null while there are too few tasks. */
export type TaskComparison = { withMemory: number | null; withoutMemory: number | null; tasks: number }
