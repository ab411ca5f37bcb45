import { applyCommit, episodeIdOf, prepareCommit } from "./apply-commit.ts"
import { applyDecisions, sinceEvaluation } from "./apply-decisions.ts"
import { countStore } from "./count-store.ts"
import { editMemory } from "./edit-memory.ts"
import { countAttempt, listWaiting, readEpisode } from "./episode-rows.ts"
import { findNearest } from "./find-nearest.ts"
import { finishEpisode, readBaseline } from "./finish-episode.ts"
import { forgetMemories } from "./forget-memories.ts"
import { importMemories } from "./import-memories.ts"
import { knownAs, versionOfProject } from "./known-as.ts"
import type { LearnedStore } from "./learned-store.ts"
import { findMemories, listMemories } from "./memory-rows.ts"
import { readHistory } from "./read-history.ts"
import { recordTask } from "./record-task.ts"
import { refreshVectors } from "./refresh-vectors.ts"
import { listProjects, registerProject } from "./register-project.ts"
import { reportOutcome } from "./report-outcome.ts"
import { rootOfSession } from "./session-root.ts"
import { comparable, type StoreEmbedder } from "./similarity.ts"
import { storeSession } from "./store-session.ts"
import { listOpenTasks, readPosition, takeIn, unseenOf } from "./take-in.ts"
import { tasksOf } from "./tasks-of.ts"
import { lastEdit, undoEdit } from "./undo-edit.ts"
import { changeMemory } from "./write-memory.ts"

export type SqliteStoreOptions = {
  /** Makes the vectors of memories; without it, likeness is a matter of words. */
  embed?: StoreEmbedder
  /** After so many answers that did not come an episode is parked. */
  maxAttempts?: number
  /** How many episodes the baseline is made of. */
  baselineWindow?: number
}

/** Learned memory in a SQLite file, which any number of processes may have open. No file is made before something is written. */
export function sqliteStore(path: string, options: SqliteStoreOptions = {}): LearnedStore {
  const { embed, maxAttempts = 5, baselineWindow = 50 } = options
  const { read, write, writeLazily, compact, close } = storeSession(path)
  return {
    registerProject: (project, root, gitFolder) =>
      write((database) => registerProject(database, project, root, gitFolder)),
    projects: () => read(listProjects),
    version: (project) => read((database) => versionOfProject(database, project)),

    position: (client, file, session) => read((database) => readPosition(database, client, file, session)),
    unseen: (client, ids) => read((database) => unseenOf(database, client, ids)),
    takeIn: (intake) => writeLazily((database) => takeIn(database, intake)), // the transcript is still there
    openTasks: (filter) => read((database) => listOpenTasks(database, filter)),
    rootOfSession: (client, session) => read((database) => rootOfSession(database, client, session)),

    waiting: (wanted = {}) => read((database) => listWaiting(database, wanted, wanted.maxAttempts ?? maxAttempts)),
    episode: (id) => read((database) => readEpisode(database, id)),
    async commit(commit) {
      const stored = await read((database) => readEpisode(database, episodeIdOf(commit)))
      const waiting = stored ?? (typeof commit.episode === "string" ? undefined : commit.episode)
      const prepared = waiting && !stored?.processed ? prepareCommit(waiting, commit, embed) : []
      return write((database) => {
        if (embed) refreshVectors(database, embed)
        return applyCommit(database, commit, prepared)
      })
    },
    skip: (id, reason, settlement, now) =>
      write((database) => {
        const episode = readEpisode(database, id)
        if (!episode) throw new Error(`there is no episode ${id}`)
        if (!episode.processed) finishEpisode(database, episode, settlement, { now, skipReason: reason })
      }),
    postpone: (id, reason) => write((database) => countAttempt(database, id, reason)),

    memories: (filter) => read((database) => listMemories(database, filter)),
    find: (name) => read((database) => findMemories(database, name)),
    history: (id) => read((database) => readHistory(database, id)),
    async nearest(query) {
      const asked = comparable(query.text, embed)
      return read((database) => findNearest(database, query, asked))
    },
    setPinned: (id, pinned, now) =>
      write((database) => {
        const note = { action: pinned ? "pinned" : "unpinned", reason: "a person asked for it", now }
        changeMemory(database, id, { pinned }, note)
      }),
    async forget(ids, forgetting) {
      const forgotten = await write((database) => forgetMemories(database, ids, forgetting))
      if (forgetting.purge && forgotten.length > 0) await compact()
      return forgotten
    },
    editMemory: (memory, edit, now) => write((database) => editMemory(database, memory, edit, now, embed)),
    lastEdit: (project) => read((database) => lastEdit(database, project)),
    undoEdit: (project, edit, now) => write((database) => undoEdit(database, project, edit, now)),
    importMemories: (memories, now) => write((database) => importMemories(database, memories, now, embed)),

    recordTask: (task) => write((database) => recordTask(database, task)),
    tasksOf: (episode) => read((database) => tasksOf(database, episode)),
    reportOutcome: (report) => write((database) => reportOutcome(database, report)),
    baseline: (project, window = baselineWindow) =>
      read((database) => readBaseline(database, knownAs(database, project), window)),
    record: (project, window = baselineWindow) =>
      read((database) => readBaseline(database, knownAs(database, project), window, true)),

    applyDecisions: (project, decisions, now, { isEvaluation } = { isEvaluation: true }) =>
      write((database) => applyDecisions(database, project, decisions, now, isEvaluation)),
    sinceEvaluation: (project) => read((database) => sinceEvaluation(database, project)),
    counts: (project, most = maxAttempts) => read((database) => countStore(database, project, most)),
    close,
  }
}
