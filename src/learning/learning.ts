import { existsSync } from "node:fs"
import { join } from "node:path"
import { allClients, recognizeTranscript } from "../clients/all-clients.ts"
import type { Machine, Transcript } from "../clients/client.ts"
import type { ProjectSettings, WriterSettings } from "../config.ts"
import { ambiguousId, DreyError } from "../errors.ts"
import type { ClientSession } from "../formats/client-session.ts"
import { type Policy, policyForEmbedder } from "../formats/policy.ts"
import { didYouMean } from "../formats/text.ts"
import { cosineSimilarity } from "../index/embedders/embedder.ts"
import { openStaticEmbedder } from "../index/embedders/static-embedder.ts"
import type { SummarizedConversation } from "../memories/conversations.ts"
import type { OutcomeReport, TaskComparison } from "../memories/learned-store.ts"
import { learnedPath, openLedger } from "../memories/ledger.ts"
import { type Memory, type MemoryKind, memoryKinds } from "../memories/memory.ts"
import { type ProjectIdentity, projectIdOf } from "../memories/project-id.ts"
import type { MemoryExplanation } from "../memories/review/outlook.ts"
import { readPolicy } from "../memories/review/policy-file.ts"
import { sqliteStore } from "../memories/sqlite-store.ts"
import type { Writer } from "../memories/writer.ts"
import type { Landing } from "../sessions/graduation/session-graduation.ts"
import type { Editor } from "../team/edit/item-edit.ts"
import { findTeamFolders } from "../team/team-folder.ts"
import { type ChangeFeed, entrySource, memorySource, openChangeFeed } from "./change-feed.ts"
import type { SessionRequest } from "./client-sessions.ts"
import type { HandedEpisode, WrittenEpisode } from "./external-episode.ts"
import type { Flush } from "./flush.ts"
import type { CatchUp, Ingestion, IngestOptions } from "./ingest.ts"
import type { LearnedGraduation } from "./learned-graduation.ts"
import { isCopy, type LearningParts, type LearningProject, partByPause, whyCopy } from "./learning-parts.ts"
import { compareTasks, explainMemory, type LearningStatus, readStatus } from "./learning-status.ts"
import type { MachineSync, SyncPlace } from "./machine-sync.ts"
import type { ForgetReport } from "./memory-editor.ts"
import { beginPause, endPause, type LearningPause, pauseOf } from "./pause.ts"
import type { Evaluation } from "./project-evaluation.ts"
import type { Replay } from "./replay.ts"
import type { SessionLessons } from "./session-lessons.ts"
import type { LearnedExport, LearnedImport } from "./transfer.ts"
import type { TranscriptWatchOptions } from "./watch.ts"
import type { WriterTrial } from "./writer-trial.ts"

export type LearningOptions = {
  /** Drey's home folder, outside of any repository. */
  home: string
  /** The root of the repository. */
  root: string
  /** The id settings of the user's and a project's configuration, by root. */
  settingsOf?: (root: string) => ProjectSettings
  owner: string
  writer: WriterSettings | { kind: "unusable"; problem: string }
  machine: Machine
  now: () => Date
  warn: (message: string) => void
  /** Whether the user trusts the repository of a root: in others, nothing is learned automatically. */
  mayLearn: (root: string) => boolean
}

export type IngestRequest = {
  /** Transcripts by path; without any, all transcripts of the clients on this machine. */
  files?: readonly string[]
  /** For every known project, not only this one. */
  allProjects?: boolean
} & Pick<IngestOptions, "progress" | "observe" | "parked" | "signal">

/** Learning from work, for one project of one user. */
export type Learning = {
  readonly project: LearningProject
  /** Reads new transcript content and learns from it. Idempotent. */
  ingest(request?: IngestRequest): Promise<Ingestion>
  /** Closes the current task and learns from it now. Idempotent. */
  flush(): Promise<Flush>
  /** Stores lessons from one of Drey's own sessions as memories on trial. Idempotent. */
  learnFromSession(lessons: SessionLessons): Promise<Landing[]>
  /** Promotes, ends and flags memories by the policy, and proposes proven ones to the team. */
  evaluate(options?: { dryRun?: boolean; now?: string }): Promise<Evaluation & { graduation: LearnedGraduation }>
  /** Every known project, including this one. */
  projects(): Promise<LearningProject[]>
  /** Learns from the transcripts of all projects as they are written, until the signal. */
  watch(options: Omit<TranscriptWatchOptions, "projects">): Promise<void>
  /** Reports entries and memories of all projects that are added, changed or ended by any process. */
  changes(): ChangeFeed
  /** Stops reading and learning, for this project or for all. Returns whether the pause is new. */
  pause(of: LearningPause["of"]): boolean
  /** Returns whether there was one. */
  resume(of: LearningPause["of"]): boolean
  pauseInForce(): LearningPause | undefined
  /** What the writer would learn from an episode provided by another program; nothing is stored. */
  write(episode: HandedEpisode): Promise<WrittenEpisode>
  /** What the writer is sent for one real episode, and what it makes of it; nothing is stored. Undefined without one. */
  tryWriter(): Promise<WriterTrial | undefined>
  /** The vector of a text from the built-in table; undefined when there is none. */
  embed(text: string): Float32Array | undefined
  /**
   * Memories by id, handle or id prefix; several when it is ambiguous. Other projects' memories only if none of this
   * one matches, and not with `here`.
   */
  find(name: string, options?: { here?: boolean }): Promise<Memory[]>
  /** What happened in agent sessions, newest first. */
  sessions(request: SessionRequest): Promise<ClientSession[]>
  /** What was said and done in the episodes that began in a month, such as `2026-03`. */
  conversations(month: string): Promise<SummarizedConversation[]>
  /** The steps of an episode from its transcript. */
  replay(id: string): Promise<Replay>
  /** Removes what was said and done in these episodes; what was learned from them stays. Returns those that had any. */
  forgetConversations(ids: readonly string[]): Promise<string[]>
  /**
   * Reads new transcript content of this project for a short time, without learning from it yet. `since`: only what
   * changed about that time or later.
   */
  catchUp(options?: { since?: number }): Promise<CatchUp>
  /** A memory's evidence, its uses, and what would promote or end it. */
  explain(id: string): Promise<MemoryExplanation>
  memories(filter?: Parameters<LearningParts["store"]["memories"]>[0]): Promise<Memory[]>
  forget(ids: readonly string[], options?: { purge?: boolean; reason?: string }): Promise<ForgetReport>
  pin(id: string, pinned: boolean): Promise<void>
  /** The user's changes to single memories, each of which can be undone. */
  editor(): Promise<Editor>
  /** The team declined the proposal of a memory, so it is not proposed again. `undefined` reverts that. */
  noteRefusal(id: string, reason: string | undefined): Promise<void>
  reportOutcome(report: Omit<OutcomeReport, "project" | "ts">): Promise<void>
  /** Exports active memories to a file, or imports such a file: each memory starts on trial. */
  exportTo(
    to: string | ((document: string) => void),
    options?: { kind?: string; everywhere?: boolean },
  ): Promise<LearnedExport>
  importFrom(path: string, options?: { dryRun?: boolean }): Promise<LearnedImport>
  /** Joins learned memory with the user's other machines, through a place that they share. */
  syncMachines(place?: SyncPlace): Promise<MachineSync>
  /** The effective policy, read again; learning in this process uses it from now on. */
  policy(): { policy: Policy; warnings: string[]; files: string[] }
  status(): Promise<LearningStatus>
  /** Whether memory reduces errors. */
  comparison(): Promise<TaskComparison>
  close(): Promise<void>
}

/** Opens learned memory; the first write creates it. */
export function openLearning(options: LearningOptions): Learning {
  const { home, root, now } = options
  const identity = identify(root, options)
  const { id } = identity
  const project = { id, root }
  const policies: PolicyCache = new Map()
  const parts = openParts(options, policies)
  const { store } = parts
  const nowText = () => now().toISOString()
  const knownProjects = async (): Promise<LearningProject[]> =>
    (await store.projects()).filter(({ root: each }) => findIfAny(each)?.folders.length)
  const trustedProjects = async () => (await knownProjects()).filter(({ root: each }) => options.mayLearn(each))
  const projectsOf = async (all: boolean): Promise<LearningProject[]> => {
    const registered = await store.registerProject(id, root, identity)
    if (!all) return [{ id: registered, root }]
    return (await knownProjects()).filter(({ root: each }) => each === root || options.mayLearn(each))
  }
  const find: Learning["find"] = async (name, { here = false } = {}) => {
    const own = await store.find(name, id)
    return own.length > 0 || here ? own : store.find(name)
  }
  const requireMemory = async (name: string): Promise<Memory> => {
    const [memory, ...others] = await find(name)
    if (memory && others.length === 0) return memory
    if (memory)
      throw ambiguousId(
        name,
        [memory, ...others].map(({ id }) => id),
      )
    const ids = (await store.memories({ project: id })).map((each) => each.id)
    const meant = didYouMean(name.replace(/^m:/, "m-"), ids)
    throw new DreyError(`Memory ${name} not found`, {
      ...(meant === undefined ? {} : { hint: `Did you mean ${meant}?` }),
      exitCode: 1,
    })
  }
  const requireOwn = async (name: string, instead?: string): Promise<Memory> => {
    const memory = await requireMemory(name)
    if (!isCopy(parts, memory)) return memory
    throw new DreyError(`${memory.id} cannot be changed here: ${whyCopy}`, {
      ...(instead === undefined ? {} : { hint: `If you shared it or are an admin, run: ${instead} ${memory.id}` }),
      exitCode: 1,
    })
  }
  const sessions: Learning["sessions"] = async (request) => {
    const { listClientSessions } = await import("./client-sessions.ts")
    return listClientSessions(parts, project, request)
  }
  return {
    project,
    async ingest({ files, allProjects = false, ...request } = {}) {
      await parts.writer() // an invalid setting is reported before anything is read
      const projects = await projectsOf(allProjects)
      const { ingest } = await import("./ingest.ts")
      return ingest(parts, {
        ...request,
        projects,
        transcripts: files?.map(requireTranscript),
        named: files !== undefined,
      })
    },
    async flush() {
      const { flush } = await import("./flush.ts")
      return flush(parts, (await projectsOf(false))[0] ?? project)
    },
    async learnFromSession(lessons) {
      const { learnFromSession } = await import("./session-lessons.ts")
      return learnFromSession(parts, (await projectsOf(false))[0] ?? project, lessons)
    },
    async evaluate({ dryRun = false, now: moment = nowText() } = {}) {
      const { evaluateProject } = await import("./project-evaluation.ts")
      const { graduate, planGraduation } = await import("./learned-graduation.ts")
      const evaluation = await evaluateProject(parts, project, { now: moment, dryRun })
      const graduation = dryRun
        ? await planGraduation(parts, project, evaluation.decisions)
        : await graduate(parts, project)
      return { ...evaluation, graduation }
    },
    projects: () => projectsOf(true),
    async watch(watchOptions) {
      await store.registerProject(id, root, identity)
      const projects = async () => partByPause(parts, await trustedProjects()).awake
      const { watchTranscripts } = await import("./watch.ts")
      await watchTranscripts(parts, { ...watchOptions, projects })
    },
    changes: () =>
      openChangeFeed(async () => {
        const projects = await knownProjects()
        return [memorySource(store, projects), ...projects.map((each) => entrySource(each, home, now))]
      }, now),
    pause: (of) => beginPause(home, of, project.id, nowText()),
    resume: (of) => endPause(home, of, project.id),
    pauseInForce: () => parts.pauseOf(project.id),
    async write(episode) {
      const { writeEpisode } = await import("./external-episode.ts")
      return writeEpisode(parts, project, episode)
    },
    async tryWriter() {
      const { tryWriter } = await import("./writer-trial.ts")
      return tryWriter(parts, project)
    },
    embed: (text) => parts.embed?.(text),
    find,
    sessions,
    async conversations(month) {
      const { summarizeEpisode } = await import("./episodes/episode-summary.ts")
      return (await store.conversations(id, month)).map((each) =>
        "summary" in each ? each : { ...each, summary: summarizeEpisode(each.events) },
      )
    },
    async replay(id) {
      const { replayEpisode } = await import("./replay.ts")
      return replayEpisode(parts, id)
    },
    forgetConversations: (ids) => store.forgetConversations(ids),
    async catchUp({ since = 0 } = {}) {
      if (parts.pauseOf(project.id))
        return { read: 0, left: 0, problem: "learning is paused; resume it with drey learn on" }
      const [last] = await sessions({ limit: 1 })
      const { catchUp } = await import("./ingest.ts")
      return catchUp(parts, (await projectsOf(false))[0] ?? project, Math.max(last?.end ?? 0, since))
    },
    async explain(id) {
      return explainMemory(parts, project, await requireMemory(id))
    },
    memories: (filter = { project: project.id }) => store.memories(filter),
    async forget(ids, { purge = false, reason = "forgotten by the user" } = {}) {
      const found = []
      for (const id of ids) found.push((await requireOwn(id, "drey team unshare")).id)
      const { forget } = await import("./memory-editor.ts")
      return forget(parts, found, { purge, reason, now: nowText(), indexFolder: join(home, "index") })
    },
    async pin(id, pinned) {
      await store.setPinned((await requireOwn(id)).id, pinned, nowText())
    },
    async editor() {
      const { memoryEditor } = await import("./memory-editor.ts")
      return memoryEditor(parts, project)
    },
    async noteRefusal(id, reason) {
      const { noteRefusal } = await import("./memory-editor.ts")
      return noteRefusal(parts, project, id, reason)
    },
    async reportOutcome(report) {
      const resolve = async (ids: readonly string[]) => {
        const found = []
        for (const id of ids) found.push((await requireMemory(id)).id)
        return found
      }
      const [helped, wrong] = [await resolve(report.helped), await resolve(report.wrong)]
      await store.reportOutcome({ ...report, helped, wrong, project: project.id, ts: nowText() })
    },
    async exportTo(to, { kind, everywhere = false } = {}) {
      const kinds = kind === undefined ? {} : { kinds: [requireKind(kind)] }
      const { exportLearned } = await import("./transfer.ts")
      return exportLearned(parts, root, to, { ...kinds, ...(everywhere ? {} : { project: project.id }) })
    },
    async importFrom(path, { dryRun = false } = {}) {
      const [registered = project] = await projectsOf(false)
      const { importLearned } = await import("./transfer.ts")
      return importLearned(parts, registered, path, { dryRun })
    },
    async syncMachines(place) {
      const { syncMachines } = await import("./machine-sync.ts")
      return syncMachines(parts, place)
    },
    policy() {
      policies.clear()
      return readPolicy({ home, storeFolder: findIfAny(root)?.folders[0]?.path })
    },
    status: () => readStatus(parts, project, identity.gitFolder),
    comparison: () => compareTasks(parts, project),
    close: () => store.close(),
  }
}

/** With the id it is stored under. */
function identify(root: string, { home, settingsOf }: Pick<LearningOptions, "home" | "settingsOf">): ProjectIdentity {
  const identity = projectIdOf(root, settingsOf?.(root))
  if (identity.legacy === undefined) return identity
  const ledger = openLedger(learnedPath(home))
  try {
    return { ...identity, id: ledger?.projectOf(identity) ?? identity.id }
  } finally {
    ledger?.close()
  }
}

type Parts = LearningParts & { embed: ((text: string) => Float32Array) | undefined }

/** By the root of a project. */
type PolicyCache = Map<string, { policy: Policy; userPolicy: Policy }>

function openParts(options: LearningOptions, policies: PolicyCache): Parts {
  const { home, owner, writer, machine, now, warn } = options
  const table = openStaticEmbedder()
  const embedder = table.kind === "ready" ? table.embedder : undefined
  let opened: Promise<Writer> | undefined
  const policiesOf = (root: string) => {
    const known = policies.get(root)
    if (known) return known
    const { policy, userPolicy, warnings } = readPolicy({ home, storeFolder: findIfAny(root)?.folders[0]?.path })
    for (const warning of warnings) warn(warning)
    const inForce = {
      policy: policyForEmbedder(policy, embedder?.id),
      userPolicy: policyForEmbedder(userPolicy, embedder?.id),
    }
    policies.set(root, inForce)
    return inForce
  }
  return {
    identify: (root) => identify(root, options).id,
    store: sqliteStore(
      learnedPath(home),
      embedder ? { embed: { id: embedder.id, vector: (text) => embedder.embedNow(text) } } : {},
    ),
    clients: allClients,
    machine,
    writer: async () => {
      if (writer.kind === "unusable") throw new DreyError(writer.problem)
      opened ??= import("./writer/writer-choice.ts").then(({ openWriter }) => openWriter(writer, machine.environment))
      return opened
    },
    policyOf: (root) => policiesOf(root).policy,
    policyFor: (root, { scope }) => policiesOf(root)[scope === "global" ? "userPolicy" : "policy"],
    pauseOf: (id) => pauseOf(home, id),
    embed: embedder && ((text) => embedder.embedNow(text)),
    likeness: embedder && ((one, other) => cosineSimilarity(embedder.embedNow(one), embedder.embedNow(other))),
    owner,
    now,
    home,
    lockPath: join(home, "run", "learning.lock"),
    warn,
  }
}

function requireKind(name: string): MemoryKind {
  const kind = memoryKinds.find((each) => each === name || `${each}s` === name)
  if (kind) return kind
  throw new DreyError(`"${name}" is not a kind of memory`, { hint: `Use one of ${memoryKinds.join(", ")}.` })
}

function findIfAny(root: string) {
  return existsSync(root) ? findTeamFolders(root) : undefined
}

function requireTranscript(path: string): Transcript {
  if (!existsSync(path)) throw new DreyError(`${path} does not exist`)
  const transcript = recognizeTranscript(path)
  if (transcript) return transcript
  throw new DreyError(`${path} is not a transcript of a supported coding agent`, {
    hint: `Supported agents: ${allClients.map(({ name }) => name).join(", ")}.`,
  })
}
