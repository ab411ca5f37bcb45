import { randomUUID } from "node:crypto"
import { existsSync, realpathSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { dreyHome, readConfig } from "./config.ts"
import type { Connections, RunningProgram } from "./connect/open-connections.ts"
import { safeTarget } from "./disk/safe-paths.ts"
import { sha256 } from "./disk/sha256.ts"
import { removeFileDurable, writeFileAtomic } from "./disk/write-file-atomic.ts"
import type { StaticOutcome } from "./embedders/static-embedder.ts"
import { DreyError, exitCode } from "./errors.ts"
import { dropUnseen } from "./formats/drop-unseen.ts"
import type { Query } from "./formats/query.ts"
import type { Timestamp } from "./formats/timestamp.ts"
import type { StoredItem } from "./index/index-store.ts"
import type { TaskComparison } from "./learning/compare-tasks.ts"
import type { Conversation } from "./learning/hand-over.ts"
import type { Learning } from "./learning/open-learning.ts"
import type { AdviceRequest } from "./recall/advise-on-error.ts"
import type { Browse } from "./recall/browse/open-browse.ts"
import type { Context, ContextRequest } from "./recall/build-context.ts"
import type { ComposedContext, ComposeRequest } from "./recall/compose-context.ts"
import type { ContextRecord } from "./recall/context-log.ts"
import type { ItemExplanation } from "./recall/explain-item.ts"
import type { Asking, HandOut } from "./recall/hand-out.ts"
import { type LearnedRecall, openLearnedRecall } from "./recall/learned-recall.ts"
import type { CompiledGuard } from "./recall/match-guards.ts"
import type { Recall, RecallOptions } from "./recall/open-recall.ts"
import type { RecallParts } from "./recall/recall-parts.ts"
import type { Recent } from "./recall/recent.ts"
import type { Reindexing } from "./recall/reindex.ts"
import type { Rule } from "./recall/rules.ts"
import type { SearchHit, SearchRequest } from "./recall/search.ts"
import type { EverythingOutcome, EverythingRequest } from "./recall/search-everything.ts"
import type { LearnedHit, LearnedSearch } from "./recall/search-learned.ts"
import type { PackRequest } from "./recall/session-pack.ts"
import type { SquadContext } from "./recall/squad-frame.ts"
import type { ToolCall } from "./recall/tool-call.ts"
import type { Trouble } from "./recall/trouble.ts"
import type { ArbiterBrief } from "./sessions/brief-arbiter.ts"
import type { ArbiterInput } from "./sessions/build-arbiter-select-prompt.ts"
import type { GraduationRequest, SessionGraduation } from "./sessions/graduate-session.ts"
import type { AgentPrompt, AgentPromptRequest } from "./sessions/prompt-agent.ts"
import type { Sessions } from "./sessions/session.ts"
import type { ArchiveOptions } from "./squad/archive/archive-decisions.ts"
import type { ExportResult } from "./squad/bundle/export-bundle.ts"
import type { BundleImport, ImportMode } from "./squad/bundle/import-bundle.ts"
import type { StoreEntry } from "./squad/collect-entries.ts"
import type { ReviewAnswer } from "./squad/convert-file.ts"
import type { ConversionPlan, ConversionResult, ConvertStoreOptions } from "./squad/convert-store.ts"
import type { Check } from "./squad/doctor/check.ts"
import type { Editor } from "./squad/edit/editor.ts"
import { findStore, folderOf, requireStore } from "./squad/find-store.ts"
import type { MergeRequest } from "./squad/git/merge-for-git.ts"
import type { ForeignFormat } from "./squad/import/foreign-entry.ts"
import type { ForeignImport } from "./squad/import/import-foreign.ts"
import type { InboxDesk } from "./squad/inbox/inbox-desk.ts"
import type { SetUpOptions, SetUpPlan, SetUpResult } from "./squad/init/set-up-store.ts"
import type { GovernedMemory } from "./squad/memory/governed-memory.ts"
import type { LogLevelRequest, LogLevelSetting } from "./squad/memory/log-level.ts"
import type { MemoryContext } from "./squad/memory/memory-context.ts"
import type { AdapterClient, MemoryProvider } from "./squad/memory/providers.ts"
import type { Capture } from "./squad/merge/capture-directive.ts"
import type { MergeOptions } from "./squad/merge/merge-inbox.ts"
import type { NewMemory, SaveOutcome } from "./squad/save-memory.ts"
import type { ScrubPlan } from "./squad/scrub.ts"
import { sessionsRoot } from "./squad/sessions-root.ts"
import type { StateFiles } from "./squad/state-files.ts"
import type { Stats } from "./squad/stats.ts"
import type { TidyResult, TidyStep } from "./squad/tidy/tidy-store.ts"
import type { StoreChange } from "./squad/undo.ts"
import type { Validation } from "./squad/validate-store.ts"
import type { Evidence } from "./store/memory.ts"
import type { Team } from "./team/client/open-team.ts"
import {
  addSeenRules,
  isHintDue,
  type RepositoryTrust,
  repositoryTrust,
  requireUsable,
  trustByEvidence,
} from "./trust.ts"
import { readPolicy } from "./upkeep/read-policy.ts"
import type { StoreReport } from "./upkeep/report/report-on-store.ts"
import { openNotes } from "./upkeep/staleness/notes.ts"
import type { Staleness } from "./upkeep/staleness/open-staleness.ts"
import type { JudgedName } from "./upkeep/staleness/verdict.ts"

export type DreyOptions = {
  /** Where to look for the team's folder; upwards from here. Default: the working directory. */
  root?: string
  now?: () => Date
  makeId?: () => string
  environment?: NodeJS.ProcessEnv
  /** No user asked for this: what a repository brings along counts as background only, until the user has trusted it. */
  automatic?: boolean
  /** This process stays: it may load models that answer better and take their time to load. */
  resident?: boolean
  /** Answers from the search index as it is, however old, and changes nothing in it. */
  asIs?: boolean
  /** Receives warnings for the user. Default: stderr. */
  warn?: (message: string) => void
  /** The coding agent for which this is opened: it proposes rules, and a person accepts them. Default: a person. */
  agent?: string | undefined
}

export type MemoryOptions = {
  /** The coding agent that calls, where it is another than the one of `openDrey`. */
  agent?: string | undefined
  /** Memories outside the repository that keep copies. */
  providers?: readonly MemoryProvider[]
  /** What a host program hands in for COPILOT_MEMORY. */
  client?: AdapterClient
  /** Told what the person should know beside the result. */
  warn?: (message: string) => void
}

export type EntriesResult = Trouble & { entries: StoreEntry[] }

export type ImportOptions = {
  /** The other tool's format; default: detected. */
  format?: ForeignFormat
  /** What to do with an existing team folder. Default: `new`, which refuses. */
  mode?: ImportMode
  skillsOnly?: boolean
  dryRun?: boolean
}

/** `helping` compares tasks that had memory with those that had none; undefined for another tool's store, or before anything was learned. */
export type MemoryReport = {
  stores: StoreReport[]
  unread: { path: string; reason: string }[]
  helping: TaskComparison | undefined
}

/** Kinds of names that users can type: agents, sessions, governed memories, learned memories, or everything that `why` explains. */
export type NameKind = "agents" | "sessions" | "governed" | "learned" | "items"
export type Named = { name: string; title: string }

/** `ended`: a retired learned memory, and what replaced it. */
export type WholeItem =
  | { kind: "read"; item: StoredItem; evidence: Evidence[] }
  | { kind: "ended"; id: string; replacedBy: string[] }
  | { kind: "several"; ids: string[] }
  | { kind: "none" }

export type RecentRequest = {
  /** Only this agent's entries and the sessions in which it got a context; or a client by its id. */
  agent?: string | undefined
  forMs?: number | undefined
  limit?: number | undefined
  /** A session to leave out: the calling one. */
  without?: string | undefined
}

/** `left`: changed transcripts that were not read; `problem`: why sessions are missing. */
export type Unread = { left: number; problem?: string }

/** `progress` is called with the number of files processed while the index is updated. */
export type Watched = { progress?: ((done: number, total: number) => void) | undefined }

/** Everything the product can do with one repository. */
export type Drey = {
  readonly root: string
  /** Whether the repository has a team folder; without one, only sessions work. */
  readonly hasTeamFolder: boolean
  /** Whether the user has trusted this repository on this machine. */
  trust(): Promise<RepositoryTrust>
  /** Whether to show the user how to trust this repository; true once per repository. */
  isTrustHintDue(): Promise<boolean>
  /** Rules that others wrote or changed since the last call; marks them as seen. */
  changedRules(): Promise<Rule[]>
  /** The entries that match a query, newest first. */
  entries(query: Query, options?: { all?: boolean; asOf?: Timestamp }): Promise<EntriesResult>
  /** Searches the team's memory by words and meaning, best match first. */
  search(request: SearchRequest, options?: Watched): Promise<Trouble & { hits: SearchHit[] }>
  /** Like `search`, merged with the audited results of governed memory. */
  searchEverything(request: EverythingRequest, options?: Watched): Promise<EverythingOutcome>
  /** Builds the context for a task: rules first, then relevant items, within a token budget, each with its reason. */
  context(request: ContextRequest, options?: Watched): Promise<Trouble & { context: Context }>
  /** Recompiles the guards file if its sources changed. */
  compileGuards(): Promise<void>
  /** The context for the start of a session, before any task; "" if there is nothing. `included` are the ids. */
  sessionPack(
    request?: PackRequest,
  ): Promise<{ text: string; tokens: number; taskId: string | undefined; included: string[]; listed: string[] }>
  /** Summarises a conversation's transcript: current task, the user's decisions, failures; "" if there is nothing. */
  handOver(conversation: Conversation): Promise<string>
  /** What is known about a failed tool call's error; undefined if nothing is. */
  adviceFor(
    error: string,
    call: ToolCall,
    request?: AdviceRequest,
  ): Promise<{ text: string; included: string[] } | undefined>
  /** The warning for a tool call, and the guards behind it; undefined if none of the guards is still active. */
  guardWarning(
    guards: readonly CompiledGuard[],
    call: ToolCall,
    request?: Asking,
  ): Promise<{ text: string; guards: CompiledGuard[] } | undefined>
  /** Searches the learned memories of this project and the global ones, best match first. */
  searchLearned(request: LearnedSearch): Promise<LearnedHit[]>
  /** Renders memories chosen by the caller as a context. */
  composeContext(request: ComposeRequest): Promise<ComposedContext>
  /** An item's source, status, named files and uses; no explanation if the id does not exist. */
  explainItem(
    id: string,
    request?: { task?: string | undefined; agent?: string | undefined },
  ): Promise<Trouble & { explanation: (ItemExplanation & { names: JudgedName[] }) | undefined }>
  /** The ids that match a typed id or prefix; `sem-` or `m-` may be omitted. */
  idsLike(typed: string): Promise<Trouble & { ids: string[] }>
  /** One full item by its id or a unique prefix, as an agent may read it; the read is audited. */
  readWhole(typed: string, actor: string | undefined): Promise<WholeItem>
  /** Checks whether the files, commands and symbols named by items still exist. */
  staleness(): Promise<Staleness>
  /** The recorded contexts for a task, by its id or text, newest first. */
  contextsFor(task: string): Promise<ContextRecord[]>
  /** All names of a kind, for completion and "did you mean" hints. */
  names(kind: NameKind): Promise<Named[]>
  /**
   * What happened in the last coding agent session, the last `limit` sessions or the given time, and the entries written then; undefined if
   * nothing has a date. New transcripts are read first, for a short time at most; `unread` reports the rest.
   */
  recent(options?: RecentRequest): Promise<Trouble & { recent: Recent | undefined; unread: Unread }>
  /** Browses the team's memory, as the browser app does. */
  browse(): Promise<Browse>
  /** Rebuilds the search index. `deep` also computes the transformer's vectors. */
  reindex(options?: { deep?: boolean; progress?: (done: number, total: number) => void }): Promise<Reindexing>
  /** Validates the whole team folder, the given files, the staged changes, or one file on its own. */
  validate(
    what: { kind: "store" } | { kind: "files"; paths: string[] } | { kind: "staged" } | { kind: "alone"; path: string },
  ): Promise<Validation>
  /** Plans the conversion of legacy entries to SEM; writes nothing. */
  planConversion(options: ConvertStoreOptions): Promise<ConversionPlan>
  applyConversion(plan: ConversionPlan): Promise<ConversionResult>
  undoConversion(time: string): Promise<{ restored: string[] }>
  /** Writes entries that need review to a file, each with its question; returns their number. */
  writeReview(path: string, plan: ConversionPlan): Promise<number>
  readReviewAnswers(path: string): Promise<ReadonlyMap<string, ReviewAnswer>>
  /** The decisions in SquadUI's format; with `out`, writes them and everything else SquadUI shows to `<out>/.squad`. */
  squadUiView(options?: { out?: string }): Promise<{ text: string; path?: string; files?: string[] }>
  /** The team's governed memory: accepted texts are stored, indexed and audited. */
  governedMemory(options?: MemoryOptions): Promise<GovernedMemory>
  /** The team folder's files by key, as Squad's agents read and write them. */
  stateFiles(options?: Pick<MemoryOptions, "agent">): Promise<StateFiles>
  /** The log level of the memory commands. */
  memoryLogLevel(request: LogLevelRequest): Promise<LogLevelSetting>
  /** A context in the format of Squad's agents: `TEAM RULES:` and `YOUR MEMORY:`. */
  buildContext(
    agent: string,
    options?: { task?: string | undefined; budget?: number | undefined },
  ): Promise<Trouble & SquadContext>
  /** Appends a memory to an agent's history. */
  saveMemory(agent: string, memory: NewMemory): Promise<SaveOutcome>
  /** Plans creating or upgrading the team folder; writes nothing. */
  planSetUp(options: SetUpOptions): Promise<SetUpPlan>
  applySetUp(plan: SetUpPlan): Promise<SetUpResult>
  /** Checks the team folder; changes nothing. */
  doctor(): Promise<Check[]>
  /** Checks memory quality: this project's own, or another tool's at `from`. Changes nothing; with `from` no team folder is needed. */
  report(options?: { from?: string; oldAfterDays?: number }): Promise<MemoryReport>
  /** Statistics on the team's memory over the last weeks. */
  stats(options: { weeks: number }): Promise<{ stats: Stats; unreadable: EntriesResult["unreadable"] }>
  /** Finds secrets and personal data in the team folder and plans their replacement; writes nothing. */
  planScrub(): Promise<ScrubPlan>
  applyScrub(plan: ScrubPlan): Promise<void>
  /** Removes the copies kept for undo; returns the number of changes affected. */
  forgetChanges(): Promise<number>
  /** Merges the inbox into decisions.md. With `dryRun` nothing is written, here and below. */
  merge(options?: MergeOptions & { dryRun?: boolean }): Promise<TidyResult>
  /** Moves old entries out of a decisions.md that has grown too large. */
  archive(options?: ArchiveOptions & { dryRun?: boolean }): Promise<TidyResult>
  /** Moves the oldest parts of long histories to the archives beside them. */
  summarize(options?: { dryRun?: boolean }): Promise<TidyResult>
  /** Merge, archive and summarize in one change; also archives old logs. */
  tidy(options?: MergeOptions & ArchiveOptions & { pruneLogs?: boolean; dryRun?: boolean }): Promise<TidyResult>
  /** Adds a rule that the user stated ("always…", "from now on…") to the decisions. */
  captureDirective(text: string, author: string): Promise<Capture>
  /** Captures every such rule in a user's message and ignores the rest. */
  captureRules(message: string): Promise<(Capture & { words: string })[]>
  /** Undoes the last change; with `dryRun` only returns it. */
  undo(options?: { dryRun?: boolean }): Promise<StoreChange[]>
  /** The recorded changes, oldest first. */
  changes(): Promise<StoreChange[]>
  /** Merges one file for git; the result replaces `ours`. */
  mergeForGit(request: MergeRequest): Promise<void>
  /** Exports the team's memory, or only its skills, to one file; default `squad-export.json` in the repository. */
  exportBundle(options?: { out?: string; skillsOnly?: boolean }): Promise<ExportResult>
  /** Writes a file chosen by the user, readable only by them; links out of the repository are not followed. */
  saveAs(path: string, text: string): Promise<void>
  /** Imports an export of Drey or Squad, or another tool's notes as proposals in the inbox. */
  importFrom(path: string, options?: ImportOptions): Promise<BundleImport | ForeignImport>
  /** Learning: transcripts, memories on trial, their use and review. */
  learning(): Promise<Learning>
  /** Connects and disconnects coding agents. Default program: the running one. */
  connections(program?: RunningProgram): Promise<Connections>
  /** Working memory: what a session's agents discover, try and decide. Needs a repository, but no team folder. */
  sessions(): Promise<Sessions>
  /** An agent's prompt with its session's memory. `session` is an id; undefined means the only open session. */
  agentPrompt(session: string | undefined, request: AgentPromptRequest): Promise<AgentPrompt>
  /** A briefing for choosing the next agent of a session. */
  arbiterPrompt(session: string | undefined, request: ArbiterInput): Promise<ArbiterBrief>
  /** Proposes a session's findings worth keeping, and keeps the chosen ones. */
  graduateSession(session: string | undefined, request: GraduationRequest): Promise<SessionGraduation>
  /** Edits single entries and learned memories for the user; every edit can be undone. */
  editor(): Promise<Editor>
  /** The inbox, one proposal at a time. */
  inbox(): Promise<InboxDesk>
  /** The team memory shared over a server; needs no repository. */
  team(): Promise<Team>
  /** Closes everything that is open; the next call opens it again. */
  close(): Promise<void>
}

const mostSessions = 50
const notTrusted = "this repository is not trusted yet, so its transcripts were not read; run drey trust"

/** Opens the team memory of the repository around `root`. Files are read and modules loaded on first use. */
export function openDrey(options: DreyOptions = {}): Drey {
  const environment = options.environment ?? process.env
  const now = options.now ?? (() => new Date())
  const start = options.root ?? environment.DREY_TEAM_ROOT ?? environment.SQUAD_TEAM_ROOT ?? process.cwd()
  const makeId = options.makeId ?? randomUUID
  const home = dreyHome(environment)
  let store = findStore(start, home)
  requireUsable(home, store)
  const trust = async () => (options.automatic ? trustByEvidence(home, store) : repositoryTrust(home, store))
  const isUntrusted = async () => {
    if (!options.automatic) return false
    requireUsable(home, store) // the folder may have been replaced since this process opened it
    return (await trust()).kind !== "trusted"
  }
  /** Restricts a recall query to what the repository's trust allows. */
  const within =
    <Answer>(question: (parts: RecallParts) => Promise<Answer>) =>
    async (parts: RecallParts) => {
      if (!(await isUntrusted())) return question(parts)
      const { asUntrusted } = await import("./recall/as-untrusted.ts")
      return question(asUntrusted(parts))
    }
  /** Runs a write of the user and marks its rules as seen; writes of agents are not marked. */
  const ownWrite = async <Result>(
    write: () => Promise<Result>,
    isUsers = options.automatic !== true,
  ): Promise<Result> => {
    const current = isUsers ? repositoryTrust(home, store) : undefined
    if (current?.kind !== "trusted" || !current.record) return write()
    const { openOwnWrites } = await import("./recall/rules.ts")
    const writes = openOwnWrites(store, now)
    const result = await write()
    try {
      await addSeenRules(home, store, await writes.added())
    } catch (error) {
      if (!(error instanceof DreyError)) throw error
      warn(`this change may later be shown as changed by others: ${error.message}`) // the write itself succeeded
    }
    return result
  }
  /** Wraps these methods of a noun with `ownWrite`. */
  const ownWrites = <Noun extends object>(noun: Noun, names: readonly (keyof Noun)[]): Noun => {
    const wrapped = names.map((name) => {
      const act = noun[name] as (...given: unknown[]) => Promise<unknown>
      return [name, (...given: unknown[]) => ownWrite(() => act(...given))]
    })
    return { ...noun, ...Object.fromEntries(wrapped) }
  }
  const memoryContext = (memory: MemoryOptions = {}): MemoryContext => ({
    store,
    folder: folderOf(store),
    now,
    makeId,
    providers: memory.providers ?? [],
    client: memory.client,
    agent: memory.agent ?? options.agent,
    removeFile: removeFileDurable,
    warn: memory.warn ?? (() => {}),
  })

  const tidy = async (command: string, steps: TidyStep[], dryRun: boolean | undefined) => {
    const { tidyStore } = await import("./squad/tidy/tidy-store.ts")
    const act = () => tidyStore(requireStore(store), command, steps, now(), { dryRun: dryRun === true })
    return dryRun ? act() : ownWrite(act)
  }
  const warned = new Set<string>()
  const configIfAny = () => {
    const settings = readConfig(store.folders[0]?.path, environment)
    for (const warning of settings.warnings) {
      if (!warned.has(warning)) warn(warning)
      warned.add(warning)
    }
    return settings
  }
  const config = () => {
    requireStore(store)
    return configIfAny()
  }
  const isAgent = options.agent !== undefined
  const desk = () => {
    const { compat, user } = config()
    return { context: memoryContext({ warn }), user, squadUi: compat.squadui }
  }
  /** Memoizes an opened part per store, so that its data is not read again. */
  const sameWhileSame = <Opened>(open: () => Promise<Opened>) => {
    let last: { store: typeof store; opened: Promise<Opened> } | undefined
    return () => {
      if (last?.store === store) return last.opened
      const opening = { store, opened: open() }
      last = opening
      opening.opened.catch(() => {
        if (last === opening) last = undefined // the caller gets the error; the next call tries again
      })
      return opening.opened
    }
  }
  const warn = options.warn ?? ((message: string) => void process.stderr.write(`drey: ${dropUnseen(message)}\n`))

  let learned: LearnedRecall | undefined
  const learnedRecall = (): LearnedRecall | undefined => {
    try {
      learned ??= openLearned()
    } catch (error) {
      if (!(error instanceof DreyError)) throw error
      warn(`learned memories are skipped: ${error.message}`) // the team's own memory still works
    }
    return learned
  }
  /** An untrusted repository's policy is ignored. */
  const policyFolder = () =>
    options.automatic && repositoryTrust(home, store).kind !== "trusted" ? undefined : store.folders[0]?.path
  const openLearned = () =>
    openLearnedRecall({
      home,
      store,
      project: config().project,
      policy: readPolicy({ home, storeFolder: policyFolder() }).policy,
      readItems: async (project) => {
        const { itemOfMemory } = await import("./recall/learned-items.ts")
        const live = { project, statuses: ["provisional", "active"] as const }
        return (await (await learning()).memories(live)).map(itemOfMemory)
      },
    })
  const sessionsFolder = () => sessionsRoot(store.root, configIfAny().sessions.root)
  const sessionsIfAny = (): string | undefined => {
    try {
      return sessionsFolder()
    } catch (error) {
      if (!(error instanceof DreyError)) throw error
      warn(`session notes are skipped: ${error.message}`) // everything else can still be found
      return undefined
    }
  }
  const recallOptions = (): RecallOptions => {
    const resident = options.resident === true
    const notes = (path: string) => openNotes(path, store.root)
    const asIs = options.asIs === true
    return { store, home, now, resident, asIs, sessions: sessionsIfAny, learned: learnedRecall, notes, warn }
  }
  const usesOfEntries = async () => {
    const { indexPlaceOf } = await import("./recall/index-place.ts")
    const { countRelevantUses } = await import("./recall/context-log.ts")
    const [folder] = requireStore(store).folders
    const uses = folder ? countRelevantUses(indexPlaceOf(home, folder.path).contexts) : new Map<string, number>()
    return (id: string) => uses.get(id) ?? 0
  }
  let browsing: Browse | undefined
  let opened: Promise<Recall> | undefined
  const recall = async (): Promise<Recall> => {
    requireStore(store)
    const { openRecall } = await import("./recall/open-recall.ts")
    opened ??= openRecall(recallOptions())
    return opened
  }
  const machine = { home: environment.HOME ?? homedir(), environment, platform: process.platform }
  const connections: Drey["connections"] = async (program = runningProgram()) => {
    const { openConnections } = await import("./connect/open-connections.ts")
    const { renderAlwaysLoaded } = await import("./recall/always-loaded.ts")
    const rules = async (lead: string, budget: number) =>
      store.folders.length === 0
        ? lead
        : (await (await recall()).ask((parts) => renderAlwaysLoaded(parts, lead, budget))).answer
    return openConnections({ machine, home, root: store.root, teamFolder: store.folders[0]?.path, rules }, program)
  }
  /** Unreadable settings name no project; opening that project reports the error. */
  const settingsOf = (folder: string) => {
    try {
      return readConfig(findStore(folder, home).folders[0]?.path, environment).project
    } catch (error) {
      if (!(error instanceof DreyError)) throw error
      return readConfig(undefined, environment).project
    }
  }
  let openedLearning: Learning | undefined
  const learning = async (): Promise<Learning> => {
    if (openedLearning) return openedLearning
    const { openLearning } = await import("./learning/open-learning.ts")
    const { writer, user } = config()
    const root = requireStore(store).root
    const mayLearn = (each: string) => repositoryTrust(home, findStore(each, home)).kind === "trusted"
    openedLearning = openLearning({ home, root, settingsOf, owner: user, writer, machine, now, warn, mayLearn })
    return openedLearning
  }

  /** A rebuilt index is useful even if staleness notes cannot be written. */
  const keepNamesIfWritable = async () => {
    try {
      await (await staleness()).judge()
    } catch (error) {
      if (!(error instanceof DreyError)) throw error
      warn(`named files were not checked: ${error.message}`)
    }
  }
  const staleness = async (): Promise<Staleness> => {
    const { openStaleness } = await import("./upkeep/staleness/open-staleness.ts")
    const { listNamingItems } = await import("./recall/list-naming-items.ts")
    const { place } = await recall()
    const items = async () => (await (await recall()).ask(listNamingItems)).answer
    return openStaleness({ root: store.root, place, now, items })
  }

  const comparison = async () => (learnedRecall() ? (await learning()).comparison() : undefined)
  const foreignStores = async (path: string) =>
    (await import("./upkeep/report/read-foreign-stores.ts")).readForeignStores(path)
  /** The repository that a store belongs to: the given one, else the one containing it, else the current one. */
  const repositoryOf = async (from: string | undefined): Promise<string | undefined> => {
    const { isInGit } = await import("./squad/git/git-questions.ts")
    const beside = from === undefined || options.root !== undefined ? [] : [dirname(resolve(from))]
    return [...beside, store.root].find(isInGit)
  }
  const ownStores = async () => {
    const { readStore } = await import("./squad/read-store.ts")
    const { entriesAsStore, memoriesAsStore } = await import("./upkeep/report/own-stores.ts")
    const { entries, unreadable } = readStore(requireStore(store), now())
    const live = { statuses: ["provisional", "active"] as const }
    const learned = learnedRecall() ? await learning() : undefined
    const memories = learned ? await learned.memories({ project: learned.project.id, ...live }) : []
    const stores = [entriesAsStore(entries), memoriesAsStore(memories)].filter((each) => each.memories.length > 0)
    return { stores, unread: unreadable.map(({ path, message }) => ({ path, reason: message })) }
  }

  let openedTeam: Team | undefined
  const team = async (): Promise<Team> => {
    if (openedTeam) return openedTeam
    const { openTeam } = await import("./team/client/open-team.ts")
    const { sqliteStore } = await import("./store/sqlite-store.ts")
    const { learnedPath } = await import("./store/learned-path.ts")
    const memories = sqliteStore(learnedPath(home))
    const projects = async () => {
      if (store.folders.length > 0) await (await learning()).projects() // makes this one known
      return (await memories.projects()).map(({ id }) => id)
    }
    const project = async () => {
      const known = await learning()
      await known.projects() // makes this one known
      return memories.registerProject(known.project.id, known.project.root)
    }
    const opened = openTeam({ home, store: memories, projects, project, userHome: machine.home, now })
    openedTeam = {
      ...opened,
      async close() {
        await opened.close()
        await memories.close()
      },
    }
    return openedTeam
  }

  let table: StaticOutcome | undefined
  const embedNow = async () => {
    const { openStaticEmbedder } = await import("./embedders/static-embedder.ts")
    return (text: string) => {
      table ??= openStaticEmbedder()
      return table.kind === "ready" ? table.embedder.embedNow(text) : undefined
    }
  }
  const sessions = async (): Promise<Sessions> => {
    const { openSessions } = await import("./sessions/open-sessions.ts")
    const makeHex = () => sha256(makeId()).slice(0, 8)
    return openSessions({ folder: sessionsFolder(), now, makeHex, embed: await embedNow(), warn })
  }

  /** Records a context in the log and the ledger. */
  const keepRecord = async (contexts: string, handed: Pick<HandOut, "record" | "learned">, session?: string) => {
    const { appendContext } = await import("./recall/context-log.ts")
    try {
      await appendContext(contexts, handed.record)
      if (!(await isUntrusted())) learned?.record(handed, session)
    } catch (error) {
      if (!(error instanceof DreyError)) throw error
      warn(`this context was not recorded: ${error.message}`) // the context itself is still usable
    }
  }
  const failedAttempts = async () => {
    const { listFailedAttempts } = await import("./sessions/list-failed-attempts.ts")
    return sessionsIfAny() === undefined ? [] : listFailedAttempts(await sessions())
  }
  const compiledGuards = async () => {
    const { guardsPath } = await import("./recall/guards-path.ts")
    return guardsPath(home, realpathSync.native(requireStore(store).folders[0]?.path ?? ""))
  }

  const search: Drey["search"] = async (request, { progress } = {}) => {
    const { search } = await import("./recall/search.ts")
    const about = { sessions: true, progress }
    const { answer, trouble } = await (await recall()).ask(
      within((parts) => search(parts, request)),
      about,
    )
    return { hits: answer, ...trouble }
  }

  /** The sessions of coding agents, after what is new in their transcripts was read. A store that cannot be opened hides nothing else. */
  const clientSessions = async ({ agent, forMs, limit, without }: RecentRequest) => {
    try {
      const { catchUp, sessions } = await learning()
      const isTrusted = (await trust()).kind === "trusted"
      const { left, problem } = isTrusted ? await catchUp() : { left: 0, problem: notTrusted }
      const found = await sessions({
        limit: limit ?? (forMs === undefined ? 1 : mostSessions),
        without,
        since: forMs === undefined ? undefined : new Date(now().getTime() - forMs).toISOString(),
        of: agent === undefined ? undefined : { client: agent.toLowerCase(), sessions: await sessionsOfAgent(agent) },
      })
      return {
        sessions: isTrusted ? found : found.map((each) => ({ ...each, learned: [] })),
        unread: { left, ...(problem === undefined ? {} : { problem }) },
      }
    } catch (error) {
      if (!(error instanceof DreyError)) throw error
      return { sessions: [], unread: { left: 0, problem: error.message } }
    }
  }
  const sessionsOfAgent = async (agent: string): Promise<string[]> => {
    const { readContexts } = await import("./recall/context-log.ts")
    const { loggedAgent } = await import("./recall/logged-agent.ts")
    const { place } = await recall()
    const name = loggedAgent(agent)
    return readContexts(place.contexts).flatMap((each) => (each.agent === name && each.session ? [each.session] : []))
  }

  const idsLike: Drey["idsLike"] = async (typed) => {
    const { ask, index } = await recall()
    const { answer, trouble } = await ask(
      within(async (parts) => (await parts.index.items(await index.idsLike(typed))).map(({ id }) => id)),
      { sessions: true },
    )
    const isFound = answer.includes(typed.trim())
    return { ids: isFound ? answer : [...new Set([...answer, ...(await learnedLike(typed))])], ...trouble }
  }
  /** Also those that have ended, which the index does not hold; an agent has no business with what other projects learned. */
  const learnedLike = async (typed: string): Promise<string[]> => {
    const mayBeOne = /^\[?(?:m[-:])?[0-9a-f]{2,16}\]?$/.test(typed.trim())
    if (!mayBeOne || !learnedRecall() || (await isUntrusted())) return []
    const found = await (await learning()).find(typed, { here: options.automatic === true })
    return found.map(({ id }) => id)
  }

  return {
    root: store.root,
    get hasTeamFolder() {
      return store.folders.length > 0
    },
    trust,
    async isTrustHintDue() {
      return (await trust()).kind === "untrusted" && isHintDue(home, store)
    },
    async changedRules() {
      const current = await trust()
      if (current.kind !== "trusted" || !current.record) return []
      const { hashesOf, listRules } = await import("./recall/rules.ts")
      const { answer } = await (await recall()).ask(listRules)
      await addSeenRules(home, store, hashesOf(answer))
      const seen = new Set(current.record.rules ?? hashesOf(answer))
      return answer.filter(({ hash }) => !seen.has(hash))
    },
    async entries(query, { all = false, asOf } = {}) {
      const { listEntries } = await import("./recall/list-entries.ts")
      const selection = { query, all, ...(asOf === undefined ? {} : { asOf }) }
      const { answer, trouble } = await (await recall()).ask((parts) => listEntries(parts, selection))
      return { entries: answer, ...trouble }
    },
    search,
    async searchEverything(request, options) {
      const { searchEverything } = await import("./recall/search-everything.ts")
      const { governedMemory } = await import("./squad/memory/governed-memory.ts")
      requireStore(store)
      const find = async (wanted: SearchRequest) => (await search(wanted, options)).hits
      return searchEverything(request, governedMemory(memoryContext({ warn })), find)
    },
    async context(request, { progress } = {}) {
      const { buildContext } = await import("./recall/build-context.ts")
      const { ask, place } = await recall()
      const { answer, trouble } = await ask(
        within((parts) => buildContext(parts, request)),
        { progress },
      )
      if (request.isLook !== true) await keepRecord(place.contexts, answer, request.session)
      return { context: answer.context, ...trouble }
    },
    async compileGuards() {
      if (await isUntrusted()) return removeFileIfAny(await compiledGuards())
      const { keepGuards } = await import("./recall/keep-guards.ts")
      const { policy } = readPolicy({ home, storeFolder: store.folders[0]?.path })
      const place = { sessions: sessionsIfAny(), ask: policy.guards.ask, attempts: failedAttempts }
      const path = await compiledGuards()
      await (await recall()).ask((parts) => keepGuards(parts, { ...place, path }))
    },
    async sessionPack(request = {}) {
      const { buildSessionPack } = await import("./recall/session-pack.ts")
      const { readLeftOpen } = await import("./recall/read-left-open.ts")
      const { ask, place } = await recall()
      const open = await readLeftOpen({ root: store.root, sessions: sessionsIfAny() })
      const { answer } = await ask(within((parts) => buildSessionPack(parts, request, open)))
      if (!answer) return { text: "", tokens: 0, taskId: undefined, included: [], listed: [] }
      await keepRecord(place.contexts, answer, request.session)
      const { text, taskId, included, listed, record } = answer
      return { text, tokens: record.tokens, taskId, included, listed }
    },
    async handOver(conversation) {
      if (await isUntrusted()) return ""
      const { readHandOver } = await import("./learning/hand-over.ts")
      return readHandOver(conversation, machine, store.root)
    },
    async adviceFor(error, call, request = {}) {
      const { adviseOnError } = await import("./recall/advise-on-error.ts")
      const { ask, place } = await recall()
      const attempts = await failedAttempts()
      const learnedFrom = (fingerprint: string) => learned?.learnedFrom(fingerprint) ?? []
      const { answer } = await ask(
        within((parts) => adviseOnError(parts, { error, call }, { learnedFrom, attempts }, request)),
      )
      if (answer) await keepRecord(place.contexts, answer, request.session)
      return answer && { text: answer.text, included: answer.included }
    },
    async guardWarning(guards, call, request = {}) {
      if (await isUntrusted()) return undefined
      const { warnOfCall } = await import("./recall/warn-of-call.ts")
      const { ask, place } = await recall()
      const { answer } = await ask((parts) => warnOfCall(parts, guards, call, request))
      if (answer) await keepRecord(place.contexts, answer, request.session)
      return answer && { text: answer.text, guards: answer.guards }
    },
    async searchLearned(request) {
      const { searchEnded, searchLearned } = await import("./recall/search-learned.ts")
      if (request.status !== "deprecated")
        return (await (await recall()).ask(within((parts) => searchLearned(parts, request)))).answer
      if (await isUntrusted()) return []
      const { memories, project } = await learning()
      return searchEnded(await memories({ project: project.id, statuses: ["deprecated"] }), request)
    },
    async composeContext(request) {
      const { composeContext } = await import("./recall/compose-context.ts")
      return composeContext(request)
    },
    async explainItem(id, request) {
      const { explainItem } = await import("./recall/explain-item.ts")
      const { ask, place } = await recall()
      const { answer, trouble } = await ask((parts) => explainItem(parts, place.contexts, id, request), {
        sessions: true,
      })
      if (!answer) return { explanation: undefined, ...trouble }
      const { isAboutRepository } = await import("./recall/list-naming-items.ts")
      const names = isAboutRepository(answer.item) ? await (await staleness()).namesIn(answer.item) : []
      return { explanation: { ...answer, names }, ...trouble }
    },
    idsLike,
    async readWhole(typed, actor) {
      const { ids } = await idsLike(typed)
      const [id] = ids
      if (id === undefined) return { kind: "none" }
      if (ids.length > 1) return { kind: "several", ids }
      const { ask } = await recall()
      const [item] = (await ask(within((parts) => parts.index.items([id])))).answer
      if (item?.load === "NEVER") return { kind: "none" }
      if (!item) {
        const live = { statuses: ["provisional", "active"] as const }
        const { memories, project } = await learning()
        const replacing = (await memories({ project: project.id, ...live })).filter(
          ({ derivedFrom }) => derivedFrom === id,
        )
        return { kind: "ended", id, replacedBy: replacing.map((memory) => memory.id) }
      }
      const { governedMemory } = await import("./squad/memory/governed-memory.ts")
      await governedMemory(memoryContext({ warn })).noteReads([id], actor)
      const isLearned = item.source === "learned" && !(await isUntrusted())
      return { kind: "read", item, evidence: isLearned ? (await (await learning()).explain(id)).evidence : [] }
    },
    staleness,
    async contextsFor(task) {
      const { contextsFor } = await import("./recall/explain-item.ts")
      const { indexPlaceOf } = await import("./recall/index-place.ts")
      const [folder] = requireStore(store).folders
      return folder ? contextsFor(indexPlaceOf(dreyHome(environment), folder.path).contexts, task) : []
    },
    async names(kind) {
      if (kind === "sessions") {
        const { sessionIds } = await import("./sessions/list-sessions.ts")
        return sessionIds(sessionsFolder()).map((name) => ({ name, title: "" }))
      }
      if (kind === "agents") {
        const { readRoster } = await import("./squad/list-files.ts")
        return [...readRoster(requireStore(store)).values()].map((name) => ({ name, title: "" }))
      }
      if (kind === "governed") {
        const { governedMemory } = await import("./squad/memory/governed-memory.ts")
        requireStore(store)
        return governedMemory(memoryContext())
          .list()
          .map(({ id, title }) => ({ name: id, title }))
      }
      const memories = learnedRecall() ? await (await learning()).memories() : []
      const named = memories.map(({ id, text }) => ({ name: id, title: text }))
      if (kind === "learned") return named
      const { readStore } = await import("./squad/read-store.ts")
      const { entries } = readStore(requireStore(store), now())
      return [...entries.map(({ id, entry }) => ({ name: id, title: entry.title })), ...named]
    },
    async recent(request = {}) {
      const { findRecent } = await import("./recall/recent.ts")
      const { ask } = await recall()
      const isSeen = !(await isUntrusted()) // what a clone brings along as notes of sessions is nobody's work here
      const { sessions, unread } = await clientSessions(request)
      const places = { store, sessions: isSeen ? sessionsIfAny() : undefined }
      const stretch = { agent: request.agent, forMs: request.forMs, isSince: request.limit !== undefined, sessions }
      const { answer, trouble } = await ask((parts) => findRecent(parts, places, stretch), { sessions: isSeen })
      return { recent: answer && (isSeen ? answer : { ...answer, notes: [], open: [] }), unread, ...trouble }
    },
    async browse() {
      const { openBrowse } = await import("./recall/browse/open-browse.ts")
      browsing ??= openBrowse({
        recall,
        store: () => store,
        now,
        compareTasks: async () =>
          learnedRecall() ? (await learning()).comparison() : { withMemory: null, withoutMemory: null, tasks: 0 },
        learned: {
          stamp: async () => (await learnedRecall()?.stamp()) ?? "",
          read: async () => (learnedRecall() ? (await learning()).memories() : []),
        },
        explainMemory: async (id) => (learnedRecall() ? (await learning()).explain(id) : undefined),
        learnedWith: async (episode) => (await (await learning()).memories({ episode })).map(({ id }) => id),
      })
      return browsing
    },
    async reindex({ deep = false, progress } = {}) {
      const { reindex } = await import("./recall/reindex.ts")
      const { openDeepEmbedder } = await import("./recall/resident-parts.ts")
      const { index, mending } = await recall()
      const embed = deep ? await openDeepEmbedder() : undefined
      const sources = { sessions: sessionsIfAny(), learned: learnedRecall }
      const reindexing = await mending(() => reindex(index, store, { now, ...sources, deep: embed, progress }))
      await keepNamesIfWritable()
      return reindexing
    },
    async validate(what) {
      const { validateAlone, validateFiles, validateStaged, validateStore } = await import("./squad/validate-store.ts")
      if (what.kind === "alone") return validateAlone(requireStore(store), what.path, now())
      if (what.kind === "files") return validateFiles(store, what.paths, now())
      return what.kind === "staged"
        ? validateStaged(requireStore(store), now())
        : validateStore(requireStore(store), now())
    },
    async planConversion(convertOptions) {
      const { planConversion } = await import("./squad/convert-store.ts")
      const { compat } = config()
      return planConversion(store, { squadUi: compat.squadui, ...convertOptions }, now())
    },
    async applyConversion(plan) {
      const { applyConversion } = await import("./squad/convert-store.ts")
      return ownWrite(async () => applyConversion(plan, now()))
    },
    async undoConversion(time) {
      const { undoConversion } = await import("./squad/convert-store.ts")
      return ownWrite(async () => undoConversion(requireStore(store), time))
    },
    async writeReview(path, plan) {
      const { writeReviewFile } = await import("./squad/review-file.ts")
      return writeReviewFile(safeTarget(store.root, path), plan)
    },
    async readReviewAnswers(path) {
      const { readReviewAnswers } = await import("./squad/review-file.ts")
      return readReviewAnswers(path)
    },
    async squadUiView({ out } = {}) {
      const { readSquadUiFiles, writeSquadUiFolder } = await import("./squad/squadui-folder.ts")
      const files = readSquadUiFiles(store, now())
      const { text } = files[0]
      if (out === undefined) return { text }
      const folder = writeSquadUiFolder(store, files, out)
      const paths = files.map(({ path }) => join(folder, path))
      return { text, path: join(folder, "decisions.md"), files: paths }
    },
    async merge({ dryRun, ...mergeOptions } = {}) {
      const step = { kind: "merge", squadUi: config().compat.squadui, isAgent, ...mergeOptions } as const
      return tidy("merge", [step], dryRun)
    },
    async archive({ dryRun, ...archiveOptions } = {}) {
      return tidy("archive", [{ kind: "archive", usesOf: await usesOfEntries(), ...archiveOptions }], dryRun)
    },
    async summarize({ dryRun } = {}) {
      return tidy("summarize", [{ kind: "summarize", ...config().limits }], dryRun)
    },
    async tidy({ dryRun, quarterly = false, pruneLogs = false, ...mergeOptions } = {}) {
      const { compat, limits } = config()
      const steps: TidyStep[] = [
        { kind: "merge", squadUi: compat.squadui, isAgent, ...mergeOptions },
        { kind: "archive", quarterly, usesOf: await usesOfEntries() },
        { kind: "summarize", ...limits },
        { kind: "logs", prune: pruneLogs },
      ]
      return tidy("tidy", steps, dryRun)
    },
    async captureDirective(text, author) {
      const { captureDirective } = await import("./squad/merge/capture-directive.ts")
      const { agent } = options
      if (agent === undefined) return ownWrite(() => captureDirective(requireStore(store), { text, author }, now()))
      const { reviewOfAgentRule: review } = await import("./squad/agent-rules.ts")
      return captureDirective(requireStore(store), { text, author: agent, onBehalfOf: author }, now(), { review })
    },
    async captureRules(message) {
      const { captureDirective } = await import("./squad/merge/capture-directive.ts")
      const { ownStatements } = await import("./writer/rules/own-statement.ts")
      const captures: (Capture & { words: string })[] = []
      if (await isUntrusted()) return captures
      const statements = ownStatements(message)
      if (statements.length === 0) return captures
      const { gitSetting } = await import("./squad/git/git-questions.ts")
      const author = environment.DREY_USER || gitSetting(store.root, "user.name") || config().user
      for (const { words, certainty } of statements) {
        const review = certainty === "own" ? undefined : "found in a longer message: confirm that it is a rule"
        const rule = { text: words, author }
        const capture = await ownWrite(() => captureDirective(requireStore(store), rule, now(), { review }), true)
        captures.push({ ...capture, words })
      }
      return captures
    },
    async undo({ dryRun = false } = {}) {
      const { nextUndo, undo } = await import("./squad/undo.ts")
      return dryRun ? nextUndo(requireStore(store)) : ownWrite(() => undo(requireStore(store), now()))
    },
    async changes() {
      const { listStoreChanges } = await import("./squad/undo.ts")
      return listStoreChanges(requireStore(store))
    },
    async mergeForGit(request) {
      const { mergeForGit } = await import("./squad/git/merge-for-git.ts")
      mergeForGit(request, store)
    },
    async exportBundle({ out, skillsOnly = false } = {}) {
      const { exportBundle } = await import("./squad/bundle/export-bundle.ts")
      const path = safeTarget(store.root, out ?? join(store.root, "squad-export.json"))
      return exportBundle(store, { skillsOnly, out: path }, now())
    },
    async saveAs(path, text) {
      if (!existsSync(dirname(resolve(path))))
        throw new DreyError(`${path} cannot be written: its folder does not exist`)
      writeFileAtomic(safeTarget(store.root, path), text, { mode: 0o600 })
    },
    async importFrom(path, { format, mode = "new", skillsOnly = false, dryRun = false } = {}) {
      const { importForeign, isBundle } = await import("./squad/import/import-foreign.ts")
      if (format !== undefined || !isBundle(path))
        return importForeign(store, path, { dryRun, ...(format === undefined ? {} : { format }) }, now())
      if (options.agent !== undefined && !dryRun)
        throw new DreyError("Not done: only the user can import another team's files, which bring its rules", {
          hint: `Ask the user to run: drey import ${path}`,
          exitCode: exitCode.no,
        })
      const { importBundle } = await import("./squad/bundle/import-bundle.ts")
      return ownWrite(() => importBundle(store, path, { mode, skillsOnly, dryRun }, now()))
    },
    async governedMemory(memory) {
      const { governedMemory } = await import("./squad/memory/governed-memory.ts")
      requireStore(store)
      return ownWrites(governedMemory(memoryContext(memory)), ["write", "writeForAgent", "promote"])
    },
    async stateFiles({ agent } = {}) {
      const { stateFiles } = await import("./squad/state-files.ts")
      requireStore(store)
      return stateFiles(memoryContext({ warn, agent }))
    },
    async memoryLogLevel(request) {
      const { resolveLogLevel } = await import("./squad/memory/log-level.ts")
      return resolveLogLevel(request, environment, store.folders[0])
    },
    async buildContext(agent, contextOptions) {
      const { buildSquadContext, emptySquadContext } = await import("./recall/squad-frame.ts")
      if (store.folders.length === 0)
        return { ...emptySquadContext(contextOptions?.budget), unreadable: [], conflicts: [] }
      const { answer, trouble } = await (await recall()).ask((parts) =>
        buildSquadContext(parts, store.root, agent, contextOptions),
      )
      return { ...answer, ...trouble }
    },
    async saveMemory(agent, memory) {
      const { saveMemory } = await import("./squad/save-memory.ts")
      requireStore(store)
      return saveMemory(memoryContext(), agent, memory)
    },
    async planSetUp(setUpOptions) {
      const { planSetUp } = await import("./squad/init/set-up-store.ts")
      return planSetUp(setUpOptions.command === "init" ? store : requireStore(store), setUpOptions, now())
    },
    async applySetUp(plan) {
      const { applySetUp } = await import("./squad/init/set-up-store.ts")
      const result = await ownWrite(() => applySetUp(plan, now()))
      store = findStore(start, home) // there may be a team folder now
      opened = undefined
      return result
    },
    async doctor() {
      const { runDoctor } = await import("./squad/doctor/run-doctor.ts")
      const { checkIndex } = await import("./recall/check-index.ts")
      const { checkTrust } = await import("./squad/doctor/trust-check.ts")
      const { checkLearning } = await import("./learning/check-learning.ts")
      const { checkSessions } = await import("./sessions/check-sessions.ts")
      const { checkTeam } = await import("./team/client/check-team.ts")
      const sessionsAt = sessionsIfAny()
      const clients = await (await connections()).check()
      const checks = [
        ...(await runDoctor(store, environment, now())),
        ...(await checkIndex(recallOptions())),
        ...(store.folders.length === 0 ? [] : [checkTrust(await trust())]),
        ...(sessionsAt === undefined ? [] : [checkSessions(sessionsAt, now())]),
        ...clients,
        ...(await checkTeam(home, async () => (await team()).status())),
      ]
      if (store.folders.length === 0) return checks
      const { checkNames } = await import("./upkeep/staleness/check-names.ts")
      return [...checks, await checkNames(staleness), ...(await checkLearning(await learning()))]
    },
    async report({ from, oldAfterDays = 180 } = {}) {
      const { reportOnStore } = await import("./upkeep/report/report-on-store.ts")
      const embed = await embedNow()
      const { stores, unread } = from === undefined ? await ownStores() : await foreignStores(from)
      const root = await repositoryOf(from)
      const parts = { root, now: now().getTime(), oldAfterDays, embed }
      const reports = await Promise.all(stores.map((each) => reportOnStore(each, parts)))
      return { stores: reports, unread, helping: from === undefined ? await comparison() : undefined }
    },
    async stats({ weeks }) {
      const { computeStats } = await import("./squad/stats.ts")
      const { readStore } = await import("./squad/read-store.ts")
      const { entries, unreadable } = readStore(requireStore(store), now())
      return { stats: computeStats(entries, weeks, now()), unreadable }
    },
    learning,
    connections,
    sessions,
    async agentPrompt(session, request) {
      const { promptAgent } = await import("./sessions/prompt-agent.ts")
      return promptAgent(await (await sessions()).open(session), request)
    },
    async arbiterPrompt(session, request) {
      const { briefArbiter } = await import("./sessions/brief-arbiter.ts")
      return briefArbiter(await (await sessions()).open(session), { embed: await embedNow(), ...request })
    },
    async graduateSession(id, request) {
      const { graduateSession } = await import("./sessions/graduate-session.ts")
      const { noteLessons } = await import("./squad/note-lessons.ts")
      const { proposeDecisions } = await import("./squad/propose-decisions.ts")
      const session = await (await sessions()).open(id, { newest: true })
      store = findStore(start, home) // the session's own folder may be the first thing in it
      return graduateSession(session, request, {
        learn: async (lessons, isAccepted) =>
          store.folders.length === 0
            ? lessons.map(() => ({
                kind: "refused",
                reason: "there is no team folder, without which nothing is learned; drey init makes one",
              }))
            : (await learning()).learnFromSession({ session, lessons, isAccepted }),
        propose: (decisions) => proposeDecisions(store, decisions, now()),
        note: (lessons) => noteLessons(memoryContext(), lessons),
      })
    },
    async planScrub() {
      const { planScrub } = await import("./squad/scrub.ts")
      return planScrub(requireStore(store))
    },
    async applyScrub(plan) {
      const { applyScrub } = await import("./squad/scrub.ts")
      await ownWrite(() => applyScrub(plan, now()))
    },
    async forgetChanges() {
      const { forgetChanges } = await import("./squad/change.ts")
      return forgetChanges(requireStore(store).folders)
    },
    editor: sameWhileSame(async () => {
      const { openEditor } = await import("./learning/open-editor.ts")
      const learned = async () => (await learning()).editor()
      return ownWrites(openEditor({ ...desk(), learned }), ["edit", "supersede", "undo"])
    }),
    inbox: sameWhileSame(async () => {
      const { openInbox } = await import("./squad/inbox/open-inbox.ts")
      const noteRefusal = async (memory: string, reason: string | undefined) =>
        (await learning()).noteRefusal(memory, reason)
      return ownWrites(openInbox({ ...desk(), noteRefusal }), ["accept", "mergeInto"])
    }),
    team,
    async close() {
      const closing = opened
      opened = undefined
      await (await closing)?.close()
      learned?.close()
      learned = undefined
      await openedLearning?.close()
      openedLearning = undefined
      await openedTeam?.close()
      openedTeam = undefined
      if (table?.kind === "ready") table.embedder.close()
      table = undefined
    },
  }
}

function removeFileIfAny(path: string): void {
  if (existsSync(path)) removeFileDurable(path)
}

function runningProgram(): RunningProgram {
  return { node: process.execPath, script: resolve(process.argv[1] ?? ""), version: "0.0.0" }
}

/** The same without opening first, for programs that want nothing else: the team's rules and the agent's own memory. */
export async function buildContext(
  agent: string,
  options: { task?: string | undefined; budget?: number | undefined } & DreyOptions = {},
): Promise<Trouble & SquadContext> {
  const drey = openDrey(options)
  try {
    return await drey.buildContext(agent, options)
  } finally {
    await drey.close()
  }
}

/** Adds what an agent learned to the end of its history. */
export function saveMemory(agent: string, memory: NewMemory, options: DreyOptions = {}): Promise<SaveOutcome> {
  return openDrey(options).saveMemory(agent, memory)
}
