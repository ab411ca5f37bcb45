import type {
  AgentMemory,
  Attempt,
  AttemptResult,
  Discovery,
  Impact,
  Importance,
  MemoryContext,
  SessionDecision,
} from "../formats/session/agent-memory.ts"
import type { SessionProblem } from "../formats/session/session-problem.ts"
import type { MachineState, Message, Plan, PlanStep, SessionMetadata } from "../formats/session/sibling-schemas.ts"
import type { SimilarAttempt } from "./similar-attempts.ts"

export type ListOptions = { active?: boolean; mostBytes?: number }

/** The working memory of a repository: one folder per session, with one file per agent. */
export type Sessions = {
  /** The folder of all sessions. */
  readonly folder: string
  /** Starts a session; its files are on disk when this returns. */
  start(request: { task: string; agent?: string; provider?: string; maxIterations?: number }): Promise<Session>
  /**
   * Opens a session by id or unique prefix; without an id, the only active session, or with `newest` the latest one if
   * none is active. With `setAside`, an invalid file that has to be written is renamed and replaced by a new one.
   */
  open(id?: string, options?: { setAside?: boolean | undefined; newest?: boolean }): Promise<Session>
  /**
   * Newest first; unreadable sessions are listed with the reason. `mostBytes` limits the list to the newest sessions
   * within that size.
   */
  list(options?: ListOptions): Promise<SessionSummary[]>
  /** Changes when a session is started, changed or removed; reads no content. */
  stamp(): Promise<string>
  /** Lists the sessions beyond the age or count limit; removes them only with `remove`. */
  cleanup(options?: { maxAgeDays?: number; maxSessions?: number; remove?: boolean }): Promise<Cleanup>
  /** Checks files, session folders, or all sessions. */
  validate(paths?: readonly string[]): Promise<SessionValidation>
}

/** One session. Every change is on disk when its call returns; concurrent changes by other processes are kept. */
export type Session = {
  readonly id: string
  readonly folder: string
  /**
   * By agent name, the session's first agent first; `archived` adds archived entries, `agent` selects one agent. An
   * unreadable agent file is skipped with a warning, unless it is the only one.
   */
  memories(options?: { archived?: boolean; agent?: string | undefined }): Promise<Map<string, AgentMemory>>
  /** The default agent. */
  firstAgent(): Promise<string>
  /** An agent's name as stored, after the governance check; without a name, the first agent's. */
  agentNamed(agent: string | undefined): Promise<string>
  metadata(): Promise<SessionMetadata>
  state(): Promise<MachineState>
  updateState(changes: Partial<MachineState>): Promise<MachineState>
  addDiscovery(agent: string | undefined, discovery: NewDiscovery): Promise<Discovery>
  /**
   * Records an attempt as in progress; `similar` are failed attempts of any agent in this session with much the same
   * approach.
   */
  startAttempt(agent: string | undefined, attempt: NewAttempt): Promise<{ attempt: Attempt; similar: SimilarAttempt[] }>
  /** `id` may be `agent/id`, here and below. */
  updateAttempt(id: string, changes: AttemptChanges, options?: { agent?: string | undefined }): Promise<Attempt>
  finishAttempt(id: string, end: AttemptEnd, options?: { agent?: string | undefined }): Promise<Attempt>
  addDecision(agent: string | undefined, decision: NewDecision): Promise<SessionDecision>
  /** Sets the named fields, and adds to or removes from lists. */
  updateContext(agent: string | undefined, changes: ContextChanges): Promise<MemoryContext>
  readonly plan: SessionPlan
  addMessage(message: NewMessage): Promise<Message>
  messages(): Promise<Message[]>
  /**
   * The entry with this id, its agent, and everything it refers to or is referred to by, directly or indirectly;
   * includes the archive.
   */
  trace(id: string, options?: { agent?: string | undefined }): Promise<EntryTrace>
  /** Which later attempt solved a failed one, according to the notes; as `agent/id`, includes the archive. */
  solutions(): Promise<{ failed: string; by: string }[]>
  /** Moves old entries to the archive files. With `dryRun` only returns the plan. */
  archive(options?: { dryRun?: boolean }): Promise<Archiving[]>
  /** Closes open attempts as partial and records the outcome of the session. */
  end(options?: { status?: "complete" | "failed" | "cancelled"; summary?: string }): Promise<SessionMetadata>
  /** Records in entries, including archived ones, what they became; earlier marks are kept. */
  markGraduated(marks: readonly GraduationMark[]): Promise<void>
  /** The whole session as one JSON value. */
  export(): Promise<SessionExport>
}

/** The newest version of a session's plan; earlier ones are kept. */
export type SessionPlan = {
  read(): Promise<Plan | undefined>
  /** Adds a version. */
  set(plan: NewPlan): Promise<Plan>
  /** `step` counts from 1. */
  updateStep(step: number, changes: Partial<PlanStep>): Promise<Plan>
  /** A new version and changes of several steps as one atomic change. */
  update(changes: PlanChanges): Promise<Plan>
}

/** An entry and the id of what it became. */
export type GraduationMark = { agent: string; id: string; to: string }

export type NewDiscovery = {
  type: string
  content: string
  importance?: Importance
  summary?: string
  relatedFiles?: readonly string[]
  actionItems?: readonly string[]
}

export type NewAttempt = {
  description: string
  approach?: string
  planStep?: number
  commands?: readonly string[]
}

export type AttemptChanges = Partial<
  Pick<
    Attempt,
    | "description"
    | "approach"
    | "planStep"
    | "commands"
    | "status"
    | "progress"
    | "subTasks"
    | "currentIssue"
    | "nextStep"
    | "output"
    | "artifacts"
    | "iterations"
    | "tokensUsed"
    | "summary"
  >
>

export type AttemptEnd = AttemptChanges & {
  result: Exclude<AttemptResult, "in_progress">
  error?: string
  lessons?: string
  nextAttempt?: string
}

export type NewDecision = {
  type: string
  description: string
  reasoning?: string
  alternatives?: readonly { name: string; reason: string }[]
  impact?: Impact
  reversible?: boolean
  relatedDiscoveries?: readonly string[]
  relatedAttempts?: readonly string[]
}

export type ContextList = "constraints" | "openQuestions" | "nextSteps" | "blockers" | "assumptions"

export type ContextChanges = {
  set?: Record<string, unknown>
  add?: Partial<Record<ContextList, readonly string[]>>
  remove?: Partial<Record<ContextList, readonly string[]>>
}

export type NewPlan = {
  task?: string
  createdBy?: string
  steps: readonly (Partial<Omit<PlanStep, "index">> & { description: string })[]
  metadata?: Plan["metadata"]
}

export type StepChange = Partial<PlanStep> & {
  /** Counts from 1. */
  step: number
}

export type PlanChanges = {
  /** A new version, to whose steps the changes then apply. */
  version?: NewPlan
  steps?: readonly StepChange[]
}

export type NewMessage = {
  agent?: string
  role: string
  content: string
  toolCalls?: readonly unknown[]
  toolResults?: readonly unknown[]
  usage?: { input?: number; output?: number }
}

export type SessionEntry =
  | { kind: "discovery"; agent: string; archived: boolean; entry: Discovery }
  | { kind: "attempt"; agent: string; archived: boolean; entry: Attempt }
  | { kind: "decision"; agent: string; archived: boolean; entry: SessionDecision }

export type EntryTrace = {
  start: SessionEntry
  /** In the order of discovery, each with the entry that led to it. */
  linked: {
    from: string
    fromAgent: string
    relation: "rests on" | "follows from" | "led to" | "same step" | "same file"
    found: SessionEntry
  }[]
  /** Referenced ids that do not exist. */
  missing: { from: string; id: string }[]
}

export type Archiving = {
  agent: string
  moved: { discoveries: string[]; attempts: string[]; decisions: string[] }
  /** Artifacts whose content was removed. */
  contentsDropped: number
  bytesBefore: number
  bytesAfter: number
  /** Over the limit although nothing more can be archived. */
  stillTooLarge: boolean
}

export type SessionSummary =
  | { kind: "readable"; id: string; folder: string; metadata: SessionMetadata }
  | { kind: "unreadable"; id: string; folder: string; problem: string }

export type Cleanup = {
  due: { id: string; reason: string; sizeBytes: number }[]
  kept: number
  removed: string[]
}

export type SessionValidation = {
  files: { path: string; problems: SessionProblem[]; unreadable: boolean }[]
  errors: number
  warnings: number
}

export type SessionExport = {
  id: string
  metadata: SessionMetadata
  state: MachineState | undefined
  plans: Plan[]
  messages: Message[]
  agents: AgentMemory[]
}
