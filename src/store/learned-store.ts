import type { ClientId, Position } from "../clients/client.ts"
import type { Episode, EpisodeEvent, Stats } from "../episodes/episode.ts"
import type { Operation } from "../writer/writer.ts"
import type { Evidence, Memory, MemoryKind, MemoryStatus, MemoryTier, OwnerType, Trigger } from "./memory.ts"
import type { CheckoutMarks } from "./register-project.ts"

/** Learned memory. Every method is one whole transaction; what it reported is on disk. Any number of processes at once. */
export type LearnedStore = {
  /**
   * Makes a project known; a second root of the same project is kept as an alias. Where the repository at this root had another id before,
   * `marks.formerly` says whether all that was kept under it is the new one's. Returns the id under which the project is kept; every method
   * takes an old id as well.
   */
  registerProject(project: string, root: string, marks?: CheckoutMarks): Promise<string>
  /** Other projects that this very checkout was before, with how many memories each has in use. */
  formerProjects(
    project: string,
    root: string,
    gitFolder: string | undefined,
  ): Promise<{ id: string; memories: number }[]>
  projects(): Promise<{ id: string; root: string; aliases: string[] }[]>
  /** A number that changes whenever a memory that this project may see changes; 0 for a project that was never seen. */
  version(project: string): Promise<number>

  // Reading transcripts
  position(client: ClientId, path: string, session?: string): Promise<Position | undefined>
  /** Of these record ids, those never taken in before. */
  unseen(client: ClientId, ids: readonly string[]): Promise<Set<string>>
  /** Takes in what a batch brought: position, ids, events of open tasks, closed episodes. All or nothing. */
  takeIn(intake: Intake): Promise<void>
  /** Sessions with events that no episode holds yet, with these events. */
  openTasks(filter?: OpenTaskFilter): Promise<OpenTask[]>
  /** The root of the project to which a session's events were put; undefined for a session that was never taken in. */
  rootOfSession(client: ClientId, session: string): Promise<string | undefined>

  // Learning from episodes
  /** Episodes that no writer has seen, in the order in which they are to be: sessions by their beginning, then by time. Parked ones (too many attempts) only on demand. */
  waiting(options?: { project?: string; limit?: number; parked?: boolean; maxAttempts?: number }): Promise<Episode[]>
  /** A project's sessions of coding agents with their closed episodes, the last one first; what an agent noted in Drey's own is not among them. */
  clientSessions(project: string, filter: SessionFilter): Promise<SessionEpisodes[]>
  episode(id: string): Promise<StoredEpisode | undefined>
  /** Applies a writer's operations and what the episode shows about memories that were handed out, and marks it processed. A second time changes nothing. */
  commit(commit: Commit): Promise<CommitOutcome>
  /** Marks an episode processed without a writer: the pre-filter's or the model's reason. Settles it all the same. */
  skip(episode: string, reason: string, settlement: Settlement, now: string): Promise<void>
  /** The writer could not be had: counts the attempt. After too many the episode is parked. Returns the attempts so far. */
  postpone(episode: string, reason: string): Promise<number>

  // Memories
  memories(filter: MemoryFilter): Promise<Memory[]>
  /** By id, by handle (`m:4f2a91`) or by the beginning of an id; several when the beginning is ambiguous. With a project, its own and global ones. */
  find(name: string, project?: string): Promise<Memory[]>
  history(id: string): Promise<MemoryHistory>
  /** Live memories of a project and global ones, with how near they are to a text; the nearest first. */
  nearest(query: NearestQuery): Promise<Near[]>
  setPinned(id: string, pinned: boolean, now: string): Promise<void>
  /** `purge` removes the row and everything about it and leaves a tombstone of its id; else it is deprecated. */
  forget(ids: readonly string[], options: { purge: boolean; reason: string; now: string }): Promise<string[]>
  /** What a person wants of one memory, if it still is the version that the person has read. */
  editMemory(memory: Pick<Memory, "id" | "version">, edit: MemoryEdit, now: string): Promise<MemoryEditOutcome>
  /** The last of these changes that a project may see and that can be taken back. */
  lastEdit(project: string): Promise<RecordedEdit | undefined>
  /** Takes the last one back and tells which memory is what it was; undefined when it is not the last one, or something happened since. */
  undoEdit(project: string, edit: number, now: string): Promise<string | undefined>
  /** Takes in memories as they are, skipping ids that exist or were purged; origin becomes `import`. Returns the new ids. */
  importMemories(memories: readonly Memory[], now: string): Promise<string[]>

  // The ledger
  /** Notes a task for which a context was made, with every memory that was eligible and relevant. The same open task counts once. Returns the task's id. */
  recordTask(task: TaskUse): Promise<string>
  /** The tasks of an episode: by the contexts its transcript shows, else by session, else by the words of its person at that time. */
  tasksOf(episode: Episode): Promise<RecordedTask[]>
  reportOutcome(report: OutcomeReport): Promise<void>
  /** Over so many episodes; by default as the store was opened. */
  baseline(project: string, window?: number): Promise<Baseline>
  /** The same over the episodes in which something was handed out. */
  record(project: string, window?: number): Promise<Baseline>

  // Upkeep
  /** Changes states as decided, with the reason in the audit, and notes, unless told otherwise, that the project was evaluated; decisions about memories that changed meanwhile are dropped. Returns those applied. */
  applyDecisions(
    project: string,
    decisions: readonly Decision[],
    now: string,
    options?: { isEvaluation: boolean },
  ): Promise<Decision[]>
  /** Episodes processed since the last evaluation, its time, and the last episode that was processed. */
  sinceEvaluation(project: string): Promise<SinceEvaluation>
  /** Parked is what has had so many attempts; by default as the store was opened. */
  counts(project?: string, maxAttempts?: number): Promise<StoreCounts>
  close(): Promise<void>
}

export type Intake = {
  /** Undefined when nothing was read: tasks are closed because time passed or somebody asked. */
  read?: {
    client: ClientId
    path: string
    /** Which session of a database. */
    session?: string
    position: Position
    /** Every record id that is new, whether or not it became part of an episode. */
    seen: readonly string[]
  }
  /** What the open task of each session that was touched holds now, replacing what was stored; empty events: no open task. */
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

/** `since`: those that were at work at or after it. `of`: only those of a client, and these. */
export type SessionFilter = {
  limit: number
  since?: string | undefined
  of?: { client: string; sessions: readonly string[] } | undefined
}

export type SessionEpisodes = { client: ClientId; session: string; episodes: StoredEpisode[] }

export type Commit = {
  /** The id of one that waits; or an episode that no writer has to see, which is taken in with the same step. */
  episode: string | Episode
  operations: readonly Operation[]
  /** Who is asking; owners are forced to be this. */
  owner: { type: OwnerType; id: string }
  /**
   * Set when these are an agent's own account: then the words are the agent's, and no outcome that they tell of is a verified one.
   * `isAccepted`: a person has read them and wants them, so that a guard may rest on them; they are no more trusted for it.
   */
  account?: { isAccepted: boolean }
  /** Trigger of what is new, from the origin episode. */
  trigger: Trigger
  settlement: Settlement
  policy: CommitPolicy
  now: string
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

/** What an episode shows about the memories that were, or could have been, of use in it. */
export type Settlement = {
  /** For every relevant memory of its tasks, and for those relevant to an episode whose agent never asked. */
  uses: SettledUse[]
  /** Whether any memory was handed out in it; if not, it counts for the baseline. */
  injected: boolean
}

export type SettledUse = {
  memory: string
  /** Undefined: the agent never asked; a task of its own is made up for the record. */
  task: string | undefined
  exposed: boolean
  cited: boolean
  hit: boolean
  miss: boolean
  regretSaved: number
  netRegret: number
  /** A guard that helped stays at least until then. */
  renewedUntil?: string
}

export type MemoryFilter = {
  /** This project's and global ones; undefined: all. */
  project?: string
  statuses?: readonly MemoryStatus[]
  kinds?: readonly MemoryKind[]
  tiers?: readonly MemoryTier[]
  owner?: { type: OwnerType; id: string }
  episode?: string
  /** At most so many; undefined: all. */
  limit?: number
  /** Those that came to be behind this one. */
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
  /** Better words for the same: what it has earned goes on. */
  | { kind: "reword"; text: string }
  /** Something else in its place, stated by a person and on trial. */
  | { kind: "replace"; text: string; reason: string; expires: string | undefined }
  | { kind: "pin"; pinned: boolean }
  | { kind: "forget"; reason: string }

/** `id` is the memory that stands now, or stood; `edit` names the change for `undoEdit`. */
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
  /** Only with at least this cosine, or by a trigger, key or path named below. */
  atLeast?: number
  tools?: readonly string[]
  heads?: readonly string[]
  fingerprints?: readonly string[]
  paths?: readonly string[]
}

/** `by` tells what made it near, in the order of strength. */
export type Near = {
  memory: Memory
  similarity: number
  by: ("fingerprint" | "key" | "head" | "path" | "tool" | "meaning")[]
}

export type TaskUse = {
  /** The context's own id. */
  task: string
  project: string
  session: string | undefined
  agent: string | undefined
  /** Of the words of the task: another call for the same task while it is open counts once. */
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

/** Means over the last processed episodes without any injection; they say nothing below the policy's least number. */
export type Baseline = { episodes: number; errors: number; retries: number }

export type SinceEvaluation = {
  episodes: number
  at: string | undefined
  last: Pick<Episode, "end" | "flushReason"> | undefined
}

export type Decision = {
  memory: string
  /** `version` of the memory that was judged. */
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
  stats?: Stats
}
