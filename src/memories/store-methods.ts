import { applyCommit, episodeIdOf, prepareCommit } from "./commit.ts"
import { conversationMonths, forgetConversations, readConversations } from "./conversations.ts"
import {
  countAttempt,
  listWaitingEpisodes,
  readBaseline,
  readEpisode,
  readSessionEpisodes,
  skipEpisode,
} from "./episode-rows.ts"
import { forgetMemories } from "./forgetting.ts"
import type { CommitOutcome, EpisodeCommit, LearnedStore } from "./learned-store.ts"
import { editMemory, lastEdit, undoEdit } from "./memory-edits.ts"
import { importMemories } from "./memory-import.ts"
import { changeMemory, findMemories, listMemories } from "./memory-rows.ts"
import { syncMemories } from "./memory-sync.ts"
import { applyDecisions, reportOutcome, sinceEvaluation } from "./outcomes.ts"
import { versionOfProject } from "./project-id.ts"
import { formerProjects, listProjects, registerProject } from "./projects.ts"
import { comparable, refreshVectors, type StoreEmbedder } from "./similarity.ts"
import type { Steps } from "./steps.ts"
import { countStore, findNearest } from "./store-queries.ts"
import { listOpenTasks, readPosition, rootOfSession, saveIntake, unseenOf } from "./stored-transcripts.ts"
import { readHistory, recordTask, tasksOf } from "./uses.ts"

/** A database session of the store. Steps are passed as a function, because a failed transaction is run again. */
export type StoreSession = {
  /** Within one snapshot. */
  read<Result>(query: () => Steps<Result>): Promise<Result>
  /** In one transaction, with a write lock. */
  write<Result>(change: () => Steps<Result>): Promise<Result>
  /** In one transaction that a power cut may undo as a whole until the next `write`: for data that can be rebuilt. */
  writeLazily<Result>(change: () => Steps<Result>): Promise<Result>
  /** Removes deleted data from the disk. */
  compact(): Promise<void>
  close(): Promise<void>
}

export type StoreOptions = {
  /** Computes vectors of memories; without it, similarity is by words. */
  embed?: StoreEmbedder
  /** An episode is parked after this many failed attempts. */
  maxAttempts?: number
  /** The number of episodes in the baseline. */
  baselineWindow?: number
}

/** The learned store on any database session. */
export function storeMethods(session: StoreSession, options: StoreOptions): LearnedStore {
  const { embed, maxAttempts = 5, baselineWindow = 50 } = options
  const { read, write, writeLazily, compact, close } = session
  return {
    registerProject: (project, root, marks) => write(() => registerProject(project, root, marks)),
    formerProjects: (project, root, gitFolder) => read(() => formerProjects(project, root, gitFolder)),
    projects: () => read(listProjects),
    version: (project) => read(() => versionOfProject(project)),

    position: (client, file, session) => read(() => readPosition(client, file, session)),
    unseen: (client, ids) => read(() => unseenOf(client, ids)),
    takeIn: (intake) => writeLazily(() => saveIntake(intake)), // the transcript is still there
    openTasks: (filter) => read(() => listOpenTasks(filter)),
    rootOfSession: (client, session) => read(() => rootOfSession(client, session)),

    waiting: (wanted = {}) => read(() => listWaitingEpisodes(wanted, wanted.maxAttempts ?? maxAttempts)),
    clientSessions: (project, filter) => read(() => readSessionEpisodes(project, filter)),
    episode: (id) => read(() => readEpisode(id)),
    conversationMonths: (project) => read(() => conversationMonths(project)),
    conversations: (project, month) => read(() => readConversations(project, month)),
    async forgetConversations(ids) {
      const forgotten = await write(() => forgetConversations(ids))
      if (forgotten.length > 0) await compact()
      return forgotten
    },
    commit: (commit) => commitTo(session, commit, embed),
    skip: (id, reason, settlement, now) => write(() => skipEpisode(id, reason, settlement, now)),
    postpone: (id, reason) => write(() => countAttempt(id, reason)),

    memories: (filter) => read(() => listMemories(filter)),
    find: (name, project) => read(() => findMemories(name, project)),
    history: (id) => read(() => readHistory(id)),
    async nearest(query) {
      const asked = comparable(query.text, embed)
      return read(() => findNearest(query, asked))
    },
    setPinned(id, pinned, now) {
      const note = { action: pinned ? "pinned" : "unpinned", reason: "forgotten by the user", now }
      return write(() => changeMemory(id, { pinned }, note))
    },
    async forget(ids, forgetting) {
      const forgotten = await write(() => forgetMemories(ids, forgetting))
      if (forgetting.purge && forgotten.length > 0) await compact()
      return forgotten
    },
    editMemory: (memory, edit, now) => write(() => editMemory(memory, edit, now, embed)),
    lastEdit: (project) => read(() => lastEdit(project)),
    undoEdit: (project, edit, now) => write(() => undoEdit(project, edit, now)),
    importMemories: (memories, now) => write(() => importMemories(memories, now, embed)),

    async syncWith(remote, options) {
      const synced = await write(() => syncMemories(remote, { ...options, embed }))
      if (synced.purged.length > 0) await compact()
      return synced
    },

    recordTask: (task) => write(() => recordTask(task)),
    tasksOf: (episode) => read(() => tasksOf(episode)),
    reportOutcome: (report) => write(() => reportOutcome(report)),
    baseline: (project, window = baselineWindow) => read(() => readBaseline(project, window, "without")),
    record: (project, window = baselineWindow) => read(() => readBaseline(project, window, "with")),

    applyDecisions: (project, decisions, now, { isEvaluation } = { isEvaluation: true }) =>
      write(() => applyDecisions(project, decisions, now, isEvaluation)),
    sinceEvaluation: (project) => read(() => sinceEvaluation(project)),
    counts: (project, most = maxAttempts) => read(() => countStore(project, most)),
    close,
  }
}

/** Prepares outside the transaction: computing vectors must not hold the write lock. */
async function commitTo(
  { read, write }: StoreSession,
  commit: EpisodeCommit,
  embed: StoreEmbedder | undefined,
): Promise<CommitOutcome> {
  const stored = await read(() => readEpisode(episodeIdOf(commit)))
  const waiting = stored ?? (typeof commit.episode === "string" ? undefined : commit.episode)
  const prepared = waiting && !stored?.processed ? prepareCommit(waiting, commit, embed) : []
  return write(function* () {
    if (embed) yield* refreshVectors(embed)
    return yield* applyCommit(commit, prepared)
  })
}
