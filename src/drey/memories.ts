import { dirname, resolve } from "node:path"
import type { Config, WriterSettings } from "../config.ts"
import type { ClientSession } from "../formats/client-session.ts"
import type { Policy } from "../formats/policy.ts"
import type { ChangeFeed } from "../learning/change-feed.ts"
import type { SessionRequest } from "../learning/client-sessions.ts"
import type { HandedEpisode, WrittenEpisode } from "../learning/external-episode.ts"
import type { Flush } from "../learning/flush.ts"
import type { CatchUp, Ingestion } from "../learning/ingest.ts"
import type { LearnedGraduation } from "../learning/learned-graduation.ts"
import type { IngestRequest, Learning } from "../learning/learning.ts"
import type { LearningProject } from "../learning/learning-parts.ts"
import type { LearningStatus } from "../learning/learning-status.ts"
import type { MachineSync, SyncPlace } from "../learning/machine-sync.ts"
import type { ForgetReport } from "../learning/memory-editor.ts"
import type { LearningPause } from "../learning/pause.ts"
import type { Evaluation } from "../learning/project-evaluation.ts"
import type { SessionLessons } from "../learning/session-lessons.ts"
import type { LearnedExport, LearnedImport } from "../learning/transfer.ts"
import type { TranscriptWatchOptions } from "../learning/watch.ts"
import type { WriterOffer } from "../learning/writer/writer-offers.ts"
import type { WriterTrial } from "../learning/writer-trial.ts"
import type { LearnedFilter, OutcomeReport, TaskComparison } from "../memories/learned-store.ts"
import type { Memory } from "../memories/memory.ts"
import type { StoreReport } from "../memories/report/quality-report.ts"
import type { MemoryExplanation } from "../memories/review/outlook.ts"
import type { Staleness } from "../memories/staleness/staleness.ts"
import type { Project } from "../project.ts"
import type { Landing } from "../sessions/graduation/session-graduation.ts"
import { requireStore } from "../team/team-folder.ts"

/** `helping` compares tasks with and without memory; undefined for another tool's store, or before anything was learned. */
export type MemoryReport = {
  stores: StoreReport[]
  unread: { path: string; reason: string }[]
  helping: TaskComparison | undefined
}

/** The transcripts of coding agents, and whether Drey reads them. */
export type Transcripts = {
  /**
   * What happened in the sessions of coding agents, newest first.
   * @example const [last] = await drey.memories.transcripts.sessions({ limit: 1 })
   */
  sessions(request: SessionRequest): Promise<ClientSession[]>
  /**
   * Reads new records of this project's transcripts for a moment, without learning from them yet.
   * @example const { left } = await drey.memories.transcripts.catchUp()
   */
  catchUp(): Promise<CatchUp>
  /**
   * Learns from the transcripts of all projects as they are written, until the signal aborts.
   * @example await drey.memories.transcripts.watch({ signal })
   */
  watch(options: Omit<TranscriptWatchOptions, "projects">): Promise<void>
  /**
   * Every project that Drey learns from, including this one.
   * @example const projects = await drey.memories.transcripts.projects()
   */
  projects(): Promise<LearningProject[]>
  /**
   * A feed of entries and memories of all projects that appear, change or end.
   * @example const events = await (await drey.memories.transcripts.changes()).next()
   */
  changes(): Promise<ChangeFeed>
  /**
   * Stops reading and learning, for this project or for all; false when already paused.
   * @example await drey.memories.transcripts.pause("project")
   */
  pause(of: LearningPause["of"]): Promise<boolean>
  /**
   * Ends a pause; false when there was none.
   * @example await drey.memories.transcripts.resume("project")
   */
  resume(of: LearningPause["of"]): Promise<boolean>
  /** @example const pause = await drey.memories.transcripts.activePause() */
  activePause(): Promise<LearningPause | undefined>
}

/** Learned memory: memories with evidence, on trial until use proves them. */
export type Memories = {
  /** @example const { id } = await drey.memories.project() */
  project(): Promise<LearningProject>
  /**
   * Reads new transcript records and learns from them. Idempotent.
   * @example const { memories } = await drey.memories.ingest()
   */
  ingest(request?: IngestRequest): Promise<Ingestion>
  /**
   * Closes the current task and learns from it now. Idempotent.
   * @example await drey.memories.flush()
   */
  flush(): Promise<Flush>
  /**
   * Promotes, retires and flags memories by the policy, and proposes proven ones to the team.
   * @example const { decisions } = await drey.memories.evaluate({ dryRun: true })
   */
  evaluate(options?: { dryRun?: boolean; now?: string }): Promise<Evaluation & { graduation: LearnedGraduation }>
  /**
   * Memories by id, handle or id prefix; those of other projects only if none of this one matches, never with `here`.
   * @example const [memory] = await drey.memories.find("m-1a2b")
   */
  find(name: string, options?: { here?: boolean }): Promise<Memory[]>
  /** @example const active = await drey.memories.list({ statuses: ["active"] }) */
  list(filter?: LearnedFilter): Promise<Memory[]>
  /**
   * The evidence of a memory, its record of use, and what would promote or retire it.
   * @example const { evidence } = await drey.memories.explain(id)
   */
  explain(id: string): Promise<MemoryExplanation>
  /** @example await drey.memories.forget([id], { reason: "wrong" }) */
  forget(ids: readonly string[], options?: { purge?: boolean; reason?: string }): Promise<ForgetReport>
  /** @example await drey.memories.pin(id, true) */
  pin(id: string, pinned: boolean): Promise<void>
  /**
   * Records that the team refused what a memory proposed; with `undefined` it may be proposed again.
   * @example await drey.memories.noteRefusal(id, "too specific")
   */
  noteRefusal(id: string, reason: string | undefined): Promise<void>
  /** @example await drey.memories.reportOutcome({ task: taskId, outcome: "success" }) */
  reportOutcome(report: Omit<OutcomeReport, "project" | "ts">): Promise<void>
  /**
   * Saves the lessons of a working session as memories on trial. Idempotent.
   * @example await drey.memories.learnFromSession({ session, lessons, isAccepted: false })
   */
  learnFromSession(lessons: SessionLessons): Promise<Landing[]>
  /**
   * To a file, or to a function that gets the document.
   * @example await drey.memories.export("learned.json")
   */
  export(
    to: string | ((document: string) => void),
    options?: { kind?: string; everywhere?: boolean },
  ): Promise<LearnedExport>
  /**
   * Imports such a file; each memory is on trial again.
   * @example await drey.memories.import("learned.json", { dryRun: true })
   */
  import(path: string, options?: { dryRun?: boolean }): Promise<LearnedImport>
  /**
   * Joins learned memory with the user's other machines, through a private git repository or a shared folder.
   * @example const { received, sent } = await drey.memories.sync({ git: "git@example.com:ines/memory.git" })
   */
  sync(place?: SyncPlace): Promise<MachineSync>
  /**
   * Reads the current policy; learning in this process follows it from then on.
   * @example const { policy } = await drey.memories.policy()
   */
  policy(): Promise<{ policy: Policy; warnings: string[]; files: string[] }>
  /** @example const { project } = await drey.memories.status() */
  status(): Promise<LearningStatus>
  /**
   * Whether work goes better with memory.
   * @example const { withMemory } = await drey.memories.comparison()
   */
  comparison(): Promise<TaskComparison>
  /**
   * The quality of a store of memories: this project's, or another tool's at `from`, which needs no team folder.
   * @example const { stores } = await drey.memories.report()
   */
  report(options?: { from?: string; oldAfterDays?: number }): Promise<MemoryReport>
  readonly transcripts: Transcripts
  /** The writer and the embedder, for other programs; nothing is stored. */
  readonly writer: {
    /** @example const { operations } = await drey.memories.writer.write(episode) */
    write(episode: HandedEpisode): Promise<WrittenEpisode>
    /**
     * The writers that this machine has: the built-in one, local servers, coding agents, providers with a key.
     * @example const [{ name, cost }] = await drey.memories.writer.offers()
     */
    offers(): Promise<WriterOffer[]>
    /**
     * A server with OpenAI's API by its URL, with its first model if none is named.
     * @example const offer = await drey.memories.writer.offerServer("http://localhost:8080/v1")
     */
    offerServer(url: string, model?: string): Promise<WriterOffer>
    /**
     * Whether the user has named a writer.
     * @example if (!drey.memories.writer.isChosen()) offer()
     */
    isChosen(): boolean
    /**
     * Saves the user's choice in `~/.drey/config.json`; learning uses it from the next call on.
     * @example await drey.memories.writer.choose(offer.settings)
     */
    choose(settings: WriterSettings): Promise<void>
    /**
     * Asks the writer about one real episode; undefined before there is one.
     * @example const trial = await drey.memories.writer.test()
     */
    test(): Promise<WriterTrial | undefined>
    /**
     * The vector of a text from the table that ships with Drey; undefined when there is none.
     * @example const vector = await drey.memories.writer.embed("use pnpm")
     */
    embed(text: string): Promise<Float32Array | undefined>
  }
  /** Whether the files, commands and symbols that items name still exist. */
  readonly staleness: Staleness
}

/** Loaded after learning: most commands need neither. */
async function keepSessions(project: Project): Promise<void> {
  return (await import("./kept-sessions.ts")).keepSessions(project)
}

export function openMemories(project: Project): Memories {
  const learning = project.learning
  const staleness = () => openStalenessOf(project)
  return {
    project: async () => (await learning()).project,
    async ingest(request) {
      const ingestion = await (await learning()).ingest(request)
      await keepSessions(project)
      return ingestion
    },
    async flush() {
      const flush = await (await learning()).flush()
      await keepSessions(project)
      return flush
    },
    evaluate: async (options) => (await learning()).evaluate(options),
    find: async (name, options) => (await learning()).find(name, options),
    list: async (filter) => (await learning()).memories(filter),
    explain: async (id) => (await learning()).explain(id),
    forget: async (ids, options) => (await learning()).forget(ids, options),
    pin: async (id, pinned) => (await learning()).pin(id, pinned),
    noteRefusal: async (id, reason) => (await learning()).noteRefusal(id, reason),
    reportOutcome: async (report) => (await learning()).reportOutcome(report),
    learnFromSession: async (lessons) => (await learning()).learnFromSession(lessons),
    export: async (to, options) => (await learning()).exportTo(to, options),
    import: async (path, options) => (await learning()).importFrom(path, options),
    sync: async (place) => (await learning()).syncMachines(place),
    policy: async () => (await learning()).policy(),
    status: async () => (await learning()).status(),
    comparison: async () => (await learning()).comparison(),
    report: (options) => reportOn(project, options),
    transcripts: {
      sessions: async (request) => (await learning()).sessions(request),
      catchUp: async () => (await learning()).catchUp(),
      watch: async (options) => (await learning()).watch(options),
      projects: async () => (await learning()).projects(),
      changes: async () => (await learning()).changes(),
      pause: async (of) => (await learning()).pause(of),
      resume: async (of) => (await learning()).resume(of),
      activePause: async () => (await learning()).pauseInForce(),
    },
    writer: {
      write: async (episode) => (await learning()).write(episode),
      offers: async () => (await import("../learning/writer/writer-offers.ts")).findWriters(project.machine),
      offerServer: async (url, model) => (await import("../learning/writer/writer-offers.ts")).offerServer(url, model),
      isChosen: () => isChosen(project.settings().writer),
      choose: (settings) => project.chooseWriter(settings),
      test: async () => (await learning()).tryWriter(),
      embed: async (text) => (await learning()).embed(text),
    },
    staleness: {
      judge: async () => (await staleness()).judge(),
      namesIn: async (item) => (await staleness()).namesIn(item),
      refresh: async () => (await staleness()).refresh(),
    },
  }
}

function isChosen(writer: Config["writer"]): boolean {
  return writer.kind !== "auto" || writer.model !== undefined
}

export async function openStalenessOf(project: Project): Promise<Staleness> {
  const { openStaleness } = await import("../memories/staleness/staleness.ts")
  const { listNamingItems } = await import("../recall/search/item-lists.ts")
  const { place } = await project.recall()
  const items = async () => (await (await project.recall()).ask(listNamingItems)).answer
  return openStaleness({ root: project.root, place, now: project.now, items })
}

async function reportOn(
  project: Project,
  { from, oldAfterDays = 180 }: { from?: string; oldAfterDays?: number } = {},
): Promise<MemoryReport> {
  const { reportOnStore } = await import("../memories/report/quality-report.ts")
  const embed = await project.embedder()
  const learned = from === undefined && project.learned() ? await project.learning() : undefined
  const { stores, unread } = from === undefined ? await ownStores(project, learned) : await foreignStores(from)
  const root = await repositoryOf(project, from)
  const parts = { root, now: project.now().getTime(), oldAfterDays, embed }
  const reports = await Promise.all(stores.map((each) => reportOnStore(each, parts)))
  return { stores: reports, unread, helping: await learned?.comparison() }
}

async function foreignStores(path: string) {
  const { readForeignStores } = await import("../memories/report/foreign-stores.ts")
  return readForeignStores(path)
}

async function ownStores(project: Project, learned: Learning | undefined) {
  const { readStore } = await import("../team/team-entries.ts")
  const { entriesAsStore, memoriesAsStore } = await import("../memories/report/quality-report.ts")
  const { entries, unreadable } = readStore(requireStore(project.store()), project.now())
  const live = { statuses: ["provisional", "active"] as const }
  const memories = learned ? await learned.memories({ project: learned.project.id, ...live }) : []
  const stores = [entriesAsStore(entries), memoriesAsStore(memories)].filter((each) => each.memories.length > 0)
  return { stores, unread: unreadable.map(({ path, message }) => ({ path, reason: message })) }
}

/** The repository that a store describes: the given root, otherwise the one that contains it, otherwise the current one. */
async function repositoryOf(project: Project, from: string | undefined): Promise<string | undefined> {
  const { isInGit } = await import("../team/git/repository.ts")
  const beside = from === undefined || project.options.root !== undefined ? [] : [dirname(resolve(from))]
  return [...beside, project.root].find(isInGit)
}
