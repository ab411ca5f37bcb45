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
  /**
   * Starts a session; its files are on disk when this returns.
   * @example const session = await drey.sessions.start({ task: "Add a login", agent: "kane" })
   */
  start(request: { task: string; agent?: string; provider?: string; maxIterations?: number }): Promise<Session>
  /**
   * Opens a session by id or unique prefix; without an id, the only active session, or with `newest` the latest one if
   * none is active. With `setAside`, an invalid file that has to be written is renamed and replaced by a new one.
   * @example const session = await drey.sessions.open("20260310")
   */
  open(id?: string, options?: { setAside?: boolean | undefined; newest?: boolean }): Promise<Session>
  /**
   * Newest first; unreadable sessions are listed with the reason. `mostBytes` limits the list to the newest sessions
   * within that size.
   * @example const active = await drey.sessions.list({ active: true })
   */
  list(options?: ListOptions): Promise<SessionSummary[]>
  /**
   * Changes when a session is started, changed or removed; reads no content.
   * @example const hasChanged = (await drey.sessions.stamp()) !== stamp
   */
  stamp(): Promise<string>
  /**
   * Lists the sessions beyond the age or count limit; removes them only with `remove`.
   * @example const plan = await drey.sessions.cleanup({ maxAgeDays: 30 })
   */
  cleanup(options?: { maxAgeDays?: number; maxSessions?: number; remove?: boolean }): Promise<Cleanup>
  /**
   * Checks files, session folders, or all sessions.
   * @example const { errors } = await drey.sessions.validate()
   */
  validate(paths?: readonly string[]): Promise<SessionValidation>
}

/** One session. Every change is on disk when its call returns; concurrent changes by other processes are kept. */
export type Session = {
  readonly id: string
  readonly folder: string
  /**
   * By agent name, the session's first agent first; `archived` adds archived entries, `agent` selects one agent. An
   * unreadable agent file is skipped with a warning, unless it is the only one.
   * @example const memory = (await session.memories()).get("kane")
   */
  memories(options?: { archived?: boolean; agent?: string | undefined }): Promise<Map<string, AgentMemory>>
  /**
   * The default agent.
   * @example const agent = await session.firstAgent()
   */
  firstAgent(): Promise<string>
  /**
   * An agent's name as stored, after the governance check; without a name, the first agent's.
   * @example const agent = await session.agentNamed("Kane")
   */
  agentNamed(agent: string | undefined): Promise<string>
  /**
   * What the session is about and how it is going: task, status, counts.
   * @example const { status, counts } = await session.metadata()
   */
  metadata(): Promise<SessionMetadata>
  /**
   * Where the agent is in its loop, as its host recorded it.
   * @example const { state } = await session.state()
   */
  state(): Promise<MachineState>
  /**
   * Sets the named fields of the state.
   * @example await session.updateState({ iteration: 2 })
   */
  updateState(changes: Partial<MachineState>): Promise<MachineState>
  /**
   * Records something found; without an agent, as the first one.
   * @example await session.addDiscovery("kane", { type: "code_pattern", content: "Uploads retry twice" })
   */
  addDiscovery(agent: string | undefined, discovery: NewDiscovery): Promise<Discovery>
  /**
   * Records an attempt as in progress; `similar` are failed attempts of any agent in this session with much the same
   * approach.
   * @example const { attempt, similar } = await session.startAttempt("kane", { description: "Cache the token" })
   */
  startAttempt(agent: string | undefined, attempt: NewAttempt): Promise<{ attempt: Attempt; similar: SimilarAttempt[] }>
  /**
   * `id` may be `agent/id`, here and below.
   * @example await session.updateAttempt("attempt-001", { nextStep: "Run the tests" })
   */
  updateAttempt(id: string, changes: AttemptChanges, options?: { agent?: string | undefined }): Promise<Attempt>
  /**
   * Ends an attempt with its result.
   * @example await session.finishAttempt("attempt-001", { result: "failure", error: "Token expired" })
   */
  finishAttempt(id: string, end: AttemptEnd, options?: { agent?: string | undefined }): Promise<Attempt>
  /**
   * Records a decision of this session.
   * @example await session.addDecision("kane", { type: "implementation", description: "Use passkeys" })
   */
  addDecision(agent: string | undefined, decision: NewDecision): Promise<SessionDecision>
  /**
   * Sets the named fields, and adds to or removes from lists.
   * @example await session.updateContext("kane", { set: { branch: "login" } })
   */
  updateContext(agent: string | undefined, changes: ContextChanges): Promise<MemoryContext>
  readonly plan: SessionPlan
  /**
   * Appends a message to the conversation.
   * @example await session.addMessage({ role: "user", content: "Also handle logout" })
   */
  addMessage(message: NewMessage): Promise<Message>
  /**
   * The conversation, oldest message first.
   * @example const last = (await session.messages()).at(-1)
   */
  messages(): Promise<Message[]>
  /**
   * The entry with this id, its agent, and everything it refers to or is referred to by, directly or indirectly;
   * includes the archive.
   * @example const { linked } = await session.trace("attempt-001")
   */
  trace(id: string, options?: { agent?: string | undefined }): Promise<EntryTrace>
  /**
   * Which later attempt solved a failed one, according to the notes; as `agent/id`, includes the archive.
   * @example const solved = (await session.solutions()).map(({ failed }) => failed)
   */
  solutions(): Promise<{ failed: string; by: string }[]>
  /**
   * Moves old entries to the archive files. With `dryRun` only returns the plan.
   * @example const plan = await session.archive({ dryRun: true })
   */
  archive(options?: { dryRun?: boolean }): Promise<Archiving[]>
  /**
   * Closes open attempts as partial and records the outcome of the session.
   * @example await session.end({ summary: "Login works" })
   */
  end(options?: { status?: "complete" | "failed" | "cancelled"; summary?: string }): Promise<SessionMetadata>
  /**
   * Records in entries, including archived ones, what they became; earlier marks are kept.
   * @example await session.markGraduated([{ agent: "kane", id: "discovery-001", to: "m:4f2a91" }])
   */
  markGraduated(marks: readonly GraduationMark[]): Promise<void>
  /**
   * The whole session as one JSON value.
   * @example const text = JSON.stringify(await session.export())
   */
  export(): Promise<SessionExport>
}

/** The newest version of a session's plan; earlier ones are kept. */
export type SessionPlan = {
  /**
   * The current version; undefined without a plan.
   * @example const steps = (await session.plan.read())?.steps
   */
  read(): Promise<Plan | undefined>
  /**
   * Adds a version.
   * @example await session.plan.set({ steps: [{ description: "Add the form" }] })
   */
  set(plan: NewPlan): Promise<Plan>
  /**
   * `step` counts from 1.
   * @example await session.plan.updateStep(1, { status: "complete" })
   */
  updateStep(step: number, changes: Partial<PlanStep>): Promise<Plan>
  /**
   * A new version and changes of several steps as one atomic change.
   * @example await session.plan.update({ version: { steps: [{ description: "Add the form" }] } })
   */
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
