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
import type { MachineState, Message, Plan, PlanStep, SessionMetadata } from "../formats/session/sibling-files.ts"
import type { SimilarAttempt } from "./find-similar-attempt.ts"

export type ListOptions = { active?: boolean; mostBytes?: number }

/** The working memory of a repository: one folder for each session, one file in it for each agent. */
export type Sessions = {
  /** The folder of all sessions. */
  readonly folder: string
  /** Begins a session; its files are on disk when this returns. */
  start(request: { task: string; agent?: string; provider?: string; maxIterations?: number }): Promise<Session>
  /**
   * By its id or the beginning of it; without one, the only session that has not ended, or with `newest` the last one when all have. With
   * `setAside`, a file that cannot be read is kept under another name when it has to be written, and a new one begins.
   */
  open(id?: string, options?: { setAside?: boolean | undefined; newest?: boolean }): Promise<Session>
  /** Newest first; what cannot be read is listed with the reason. With `mostBytes`, the newest whose files are within it together. */
  list(options?: ListOptions): Promise<SessionSummary[]>
  /** Another text when a session was begun, changed or removed; nothing is read for it. */
  stamp(): Promise<string>
  /** Which sessions are over their time or number; they are removed only with `remove`. */
  cleanup(options?: { maxAgeDays?: number; maxSessions?: number; remove?: boolean }): Promise<Cleanup>
  /** Checks files, session folders, or all sessions. */
  validate(paths?: readonly string[]): Promise<SessionValidation>
}

/** One session. Every change is on disk when its call returns; what other processes and people wrote meanwhile stays. */
export type Session = {
  readonly id: string
  readonly folder: string
  /**
   * By name of the agent, the session's first agent first; `archived` adds what was moved to the archive, `agent` leaves out the others.
   * An agent whose file cannot be read is passed over with a warning, as long as there is another.
   */
  memories(options?: { archived?: boolean; agent?: string | undefined }): Promise<Map<string, AgentMemory>>
  /** Whose memory is meant where no agent is named. */
  firstAgent(): Promise<string>
  /** An agent's name as the session's files have it, which is without what does not pass the gate; of none, the first agent's. */
  agentNamed(agent: string | undefined): Promise<string>
  metadata(): Promise<SessionMetadata>
  state(): Promise<MachineState>
  updateState(changes: Partial<MachineState>): Promise<MachineState>
  addDiscovery(agent: string | undefined, discovery: NewDiscovery): Promise<Discovery>
  /** Noted as in progress; `similar` are the attempts of this session that failed at much the same, whoever made them. */
  startAttempt(agent: string | undefined, attempt: NewAttempt): Promise<{ attempt: Attempt; similar: SimilarAttempt[] }>
  /** `id` may be `agent/id`, here and below. */
  updateAttempt(id: string, changes: AttemptChanges, options?: { agent?: string | undefined }): Promise<Attempt>
  finishAttempt(id: string, end: AttemptEnd, options?: { agent?: string | undefined }): Promise<Attempt>
  addDecision(agent: string | undefined, decision: NewDecision): Promise<SessionDecision>
  /** Sets the fields that are named, and adds to or takes from lists. */
  updateContext(agent: string | undefined, changes: ContextChanges): Promise<MemoryContext>
  plan(): Promise<Plan | undefined>
  /** A new version of the plan. */
  setPlan(plan: NewPlan): Promise<Plan>
  /** `step` counts from 1. */
  updateStep(step: number, changes: Partial<PlanStep>): Promise<Plan>
  /** Both, and several steps, as one change: all of it or nothing. */
  updatePlan(changes: PlanChanges): Promise<Plan>
  addMessage(message: NewMessage): Promise<Message>
  messages(): Promise<Message[]>
  /** The entry of this id, its agent, and all that it refers to or that refers to it, directly or not; in the archive too. */
  trace(id: string, options?: { agent?: string | undefined }): Promise<Trace>
  /** Which later attempt solved what a failed one tried, as far as the notes tell; as `agent/id`, in the archive too. */
  solutions(): Promise<{ failed: string; by: string }[]>
  /** Moves old entries to the archive files. With `dryRun` only tells which. */
  archive(options?: { dryRun?: boolean }): Promise<Archiving[]>
  /** Closes open attempts as partial and notes how the session went. */
  end(options?: { status?: "complete" | "failed" | "cancelled"; summary?: string }): Promise<SessionMetadata>
  /** Notes in entries, archived ones too, what became of them beyond this session; what has graduated before stays as it is. */
  markGraduated(marks: readonly Graduation[]): Promise<void>
  /** All of it as one JSON value. */
  export(): Promise<SessionExport>
}

/** An entry and the id of what it became. */
export type Graduation = { agent: string; id: string; to: string }

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

export type Trace = {
  start: SessionEntry
  /** In the order in which they are reached, each with the entry it was reached from. */
  linked: {
    from: string
    fromAgent: string
    relation: "rests on" | "follows from" | "led to" | "same step" | "same file"
    found: SessionEntry
  }[]
  /** Ids that something refers to and nothing has. */
  missing: { from: string; id: string }[]
}

export type Archiving = {
  agent: string
  moved: { discoveries: string[]; attempts: string[]; decisions: string[] }
  /** Artifacts whose content was let go. */
  contentsDropped: number
  bytesBefore: number
  bytesAfter: number
  /** Over the limit although nothing more may move. */
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
