import { existsSync, realpathSync } from "node:fs"
import { removeFileDurable } from "../disk/atomic-write.ts"
import { DreyError } from "../errors.ts"
import type { ClientId, ToolCall } from "../formats/client-events.ts"
import type { ConversationRequest } from "../learning/conversation-summary.ts"
import { readPolicy } from "../memories/review/policy-file.ts"
import type { Project } from "../project.ts"
import type { Context, ContextRequest } from "../recall/context/context-builder.ts"
import type { ContextRecord } from "../recall/context/context-log.ts"
import type { ComposedContext, ComposeRequest, Handout, HandoutRequest } from "../recall/context/handout.ts"
import type { SessionContextRequest } from "../recall/context/session-context.ts"
import type { SquadContext, SquadContextOptions } from "../recall/context/squad-context.ts"
import type { AdviceRequest } from "../recall/guards/error-advice.ts"
import type { CompiledGuard } from "../recall/guards/guard-match.ts"
import type { ReadProblems } from "../recall/sync/origins.ts"
import { requireStore } from "../team/team-folder.ts"

/** Reports how many files were checked while the index is updated. */
export type IndexProgress = { progress?: ((done: number, total: number) => void) | undefined }

/** `included` are the ids of what is in the text, `listed` those of which it has only a title. */
export type SessionContext = {
  text: string
  tokens: number
  taskId: string | undefined
  included: string[]
  listed: string[]
}

/** What agents are handed, and a record of it. */
export type Contexts = {
  /**
   * The context for a task: rules first, then what is relevant, within a token budget, each item with its reason.
   * @example const { context } = await drey.context.build({ task: "Add a retry to the upload" })
   */
  build(request: ContextRequest, options?: IndexProgress): Promise<ReadProblems & { context: Context }>
  /**
   * Whether the next context can be built at once; otherwise the search index is updated first.
   * @example if (await drey.context.isReady()) console.log("the index is current")
   */
  isReady(): Promise<boolean>
  /**
   * The same in the frame that Squad's agents know: `TEAM RULES:` and `YOUR MEMORY:`.
   * @example const { text } = await drey.context.forSquad("mal", { task: "Add a retry" })
   */
  forSquad(agent: string, options?: SquadContextOptions): Promise<ReadProblems & SquadContext>
  /**
   * Renders memories that the caller chose as a context.
   * @example const { text } = await drey.context.compose({ memories, budget: 500 })
   */
  compose(request: ComposeRequest): Promise<ComposedContext>
  /**
   * What an agent should know before its first task; the text is "" when there is nothing.
   * @example const { text } = await drey.context.atStart({ session: "s-1" })
   */
  atStart(request?: SessionContextRequest): Promise<SessionContext>
  /**
   * Where the work stands, in at most 400 tokens: current task, failed attempts, decisions, files that are not committed.
   * After a compaction from the conversation itself; at the start of another session, from the last one if it left
   * something unfinished; when a conversation is resumed, from both; for a sub-agent, what its parent and its siblings
   * tried and found out. "" when there is nothing.
   * @example const text = await drey.context.handOver("compact", { client: "claude-code", session: undefined, path })
   */
  handOver(occasion: "startup" | "resume" | "compact" | "subagent", conversation: ConversationRequest): Promise<string>
  /**
   * What is known about the error that a tool call ended in; undefined when nothing is.
   * @example const advice = await drey.context.forError("EADDRINUSE", { tool: "Bash", command: "npm start", paths: [] })
   */
  forError(
    error: string,
    call: ToolCall,
    request?: AdviceRequest,
  ): Promise<{ text: string; included: string[] } | undefined>
  /**
   * The warning of these guards about a tool call; undefined when none of them applies any more.
   * @example const warning = await drey.context.forToolCall(guards, { tool: "Bash", command: "git push", paths: [] })
   */
  forToolCall(
    guards: readonly CompiledGuard[],
    call: ToolCall,
    request?: HandoutRequest,
  ): Promise<{ text: string; guards: CompiledGuard[] } | undefined>
  /**
   * Updates the compiled guards file if what they are compiled from has changed.
   * @example await drey.context.compileGuards()
   */
  compileGuards(): Promise<void>
  /**
   * The last contexts that were handed out, newest first.
   * @example const [last] = await drey.context.handedOut({ limit: 1 })
   */
  handedOut(options?: { limit?: number }): Promise<ContextRecord[]>
  /**
   * The recorded contexts of a task, by its id or words, newest first.
   * @example const [last] = await drey.context.recorded("Add a retry to the upload")
   */
  recorded(task: string): Promise<ContextRecord[]>
}

const handOverBudget = 400
const mostFiles = 12
/** What was left unfinished longer ago is rarely the next thing to do. */
const freshMs = 3 * 24 * 60 * 60 * 1000
const headings = {
  startup: "",
  resume: "Where this conversation stands",
  compact: "This conversation before it was compacted",
  subagent: "Other agents in this conversation",
}

export function openContexts(project: Project): Contexts {
  const { home, recall, within } = project

  /** Records what was handed out, in the log and in the ledger. */
  const record = async (contexts: string, handed: Pick<Handout, "record" | "learned">, session?: string) => {
    const { appendContext } = await import("../recall/context/context-log.ts")
    try {
      await appendContext(contexts, handed.record)
      if (!(await project.isUntrusted())) project.learned()?.record(handed, session)
    } catch (error) {
      if (!(error instanceof DreyError)) throw error
      project.warn(`this context was not recorded: ${error.message}`) // it can still be used
    }
  }
  /** The newest other session of any client, if it is recent and left a failure or files that are not committed. */
  const unfinishedSession = async (session: string | undefined, uncommitted: readonly string[]) => {
    const since = project.now().getTime() - freshMs
    try {
      const { catchUp, sessions } = await project.learning()
      await catchUp({ since })
      const found = await sessions({ limit: 1, without: session, since: new Date(since).toISOString() })
      const last = found.sort((one, other) => other.end - one.end)[0]
      return last && (last.failed.length > 0 || last.files.some((file) => uncommitted.includes(file)))
        ? last
        : undefined
    } catch (error) {
      if (!(error instanceof DreyError)) throw error
      return undefined // the rest of the session context does not need it
    }
  }
  const failedAttempts = async () => {
    const folder = project.sessionsIfAny()
    if (folder === undefined) return []
    const { listFailedAttempts } = await import("../sessions/failed-attempts.ts")
    const { openSessionsOf } = await import("./sessions.ts")
    return listFailedAttempts(await openSessionsOf(project))
  }
  const guardsFile = async () => {
    const { guardsPath } = await import("../recall/guards/guard-match.ts")
    return guardsPath(home, realpathSync.native(requireStore(project.store()).folders[0]?.path ?? ""))
  }

  return {
    async build(request, { progress } = {}) {
      const { buildContext } = await import("../recall/context/context-builder.ts")
      const { ask, place } = await recall()
      const { answer, trouble } = await ask(
        within((parts) => buildContext(parts, request)),
        { progress, past: "as it is" },
      )
      if (request.isLook !== true) await record(place.contexts, answer, request.session)
      return { context: answer.context, ...trouble }
    },
    isReady: async () => (await recall()).isCurrent(),
    async forSquad(agent, options = {}) {
      const { buildSquadContext, emptySquadContext } = await import("../recall/context/squad-context.ts")
      if (project.store().folders.length === 0)
        return { ...emptySquadContext(options.budget), unreadable: [], conflicts: [] }
      const { answer, trouble } = await (await recall()).ask((parts) =>
        buildSquadContext(parts, project.root, agent, options),
      )
      return { ...answer, ...trouble }
    },
    async compose(request) {
      const { composeContext } = await import("../recall/context/handout.ts")
      return composeContext(request)
    },
    async atStart(request = {}) {
      const { buildSessionContext } = await import("../recall/context/session-context.ts")
      const { readLeftOpen } = await import("../recall/context/session-context.ts")
      const { ask, place } = await recall()
      const open = await readLeftOpen({ root: project.root, sessions: project.sessionsIfAny() })
      const { answer } = await ask(within((parts) => buildSessionContext(parts, request, open)))
      if (!answer) return { text: "", tokens: 0, taskId: undefined, included: [], listed: [] }
      await record(place.contexts, answer, request.session)
      const { text, taskId, included, listed } = answer
      return { text, tokens: answer.record.tokens, taskId, included, listed }
    },
    async handOver(occasion, conversation) {
      if (await project.isUntrusted()) return ""
      const { renderHandOver, summarizeConversation } = await import("../learning/conversation-summary.ts")
      const { listUncommitted } = await import("../disk/git.ts")
      const { boundTokens } = await import("../recall/token-count.ts")
      const { notesToHandOver } = await import("./kept-sessions.ts")
      const notesOf = async ({ client, session, path }: ConversationRequest) =>
        session === undefined ? [] : notesToHandOver(project, { client, session, path })
      if (occasion === "subagent") {
        const lists = (await notesOf(conversation)).filter(({ name }) => name !== "Planned next")
        return renderHandOver([{ heading: headings.subagent, lists }], {
          budget: handOverBudget,
          countTokens: boundTokens,
        })
      }
      const summarize = async (each: ConversationRequest) => {
        const summary = await summarizeConversation(each, project.machine, project.root)
        if (!summary) return undefined
        const notes = await notesOf(each)
        const isTold = notes.some(({ name }) => name === "Failed and not solved yet")
        const others = summary.lists.filter(({ name }) => !(isTold && name === "Failed and not solved yet"))
        return { ...summary, lists: [...others.slice(0, 1), ...notes, ...others.slice(1)] }
      }
      const uncommitted = await listUncommitted(project.root)
      const own = occasion === "startup" ? undefined : await summarize(conversation)
      const last = occasion === "compact" ? undefined : await unfinishedSession(conversation.session, uncommitted)
      const isNewer = last !== undefined && (own === undefined || last.end > own.end)
      const other = isNewer && (await summarize({ ...last, client: last.client as ClientId, path: last.transcript }))
      if (!own && !other) return ""
      const when = isNewer ? `${new Date(last.end).toISOString().slice(0, 16).replace("T", " ")} UTC` : ""
      const parts = [
        ...(own ? [{ heading: headings[occasion], lists: own.lists }] : []),
        ...(other
          ? [{ heading: `Left unfinished by another session (${last?.name}, ${when})`, lists: other.lists }]
          : []),
        { heading: "Not committed", lists: [{ name: "Files", texts: [uncommitted.slice(0, mostFiles).join(", ")] }] },
      ]
      const shown = uncommitted.length === 0 ? parts.slice(0, -1) : parts
      return renderHandOver(shown, { budget: handOverBudget, countTokens: boundTokens })
    },
    async forError(error, call, request = {}) {
      const { adviseOnError } = await import("../recall/guards/error-advice.ts")
      const { ask, place } = await recall()
      const attempts = await failedAttempts()
      const learnedFrom = (fingerprint: string) => project.learned()?.learnedFrom(fingerprint) ?? []
      const { answer } = await ask(
        within((parts) => adviseOnError(parts, { error, call }, { learnedFrom, attempts }, request)),
      )
      if (answer) await record(place.contexts, answer, request.session)
      return answer && { text: answer.text, included: answer.included }
    },
    async forToolCall(guards, call, request = {}) {
      if (await project.isUntrusted()) return undefined
      const { warnAboutToolCall } = await import("../recall/guards/call-warning.ts")
      const { ask, place } = await recall()
      const { answer } = await ask((parts) => warnAboutToolCall(parts, guards, call, request))
      if (answer) await record(place.contexts, answer, request.session)
      return answer && { text: answer.text, guards: answer.guards }
    },
    async compileGuards() {
      const path = await guardsFile()
      if (await project.isUntrusted()) {
        if (existsSync(path)) removeFileDurable(path)
        return
      }
      const { writeGuards } = await import("../recall/guards/guard-compiler.ts")
      const { policy } = readPolicy({ home, storeFolder: project.store().folders[0]?.path })
      const sources = { sessions: project.sessionsIfAny(), ask: policy.guards.ask, attempts: failedAttempts, path }
      await (await recall()).ask((parts) => writeGuards(parts, sources))
    },
    async handedOut({ limit } = {}) {
      const { readContexts } = await import("../recall/context/context-log.ts")
      const { indexPlaceOf } = await import("../recall/sync/current-index.ts")
      const [folder] = requireStore(project.store()).folders
      const records = folder ? readContexts(indexPlaceOf(home, folder.path).contexts).reverse() : []
      return records.slice(0, limit)
    },
    async recorded(task) {
      const { contextsFor } = await import("../recall/context/item-explanation.ts")
      const { indexPlaceOf } = await import("../recall/sync/current-index.ts")
      const [folder] = requireStore(project.store()).folders
      return folder ? contextsFor(indexPlaceOf(home, folder.path).contexts, task) : []
    },
  }
}
