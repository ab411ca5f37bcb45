import { DreyError, exitCode } from "../errors.ts"
import { isUnusable } from "../index/index-file.ts"
import type { SqliteIndex } from "../index/sqlite-index.ts"
import type { TeamStore } from "../team/team-folder.ts"
import type { LearnedRecall, LearnedSource } from "./learned-recall.ts"
import type { LearnedParts, RecallParts } from "./recall-parts.ts"
import { type CurrentIndex, type IndexPlace, indexPlaceOf, openCurrentIndex } from "./sync/current-index.ts"
import type { KeptIndexes } from "./sync/kept-indexes.ts"
import type { ReadProblems } from "./sync/origins.ts"
import type { ConversationSource, HistoryState, PastOptions } from "./sync/past-index.ts"
import type { SyncedRecall } from "./sync/synced-recall.ts"

export type RecallOptions = {
  store: TeamStore
  /** Drey's own folder, outside of any repository. */
  home: string
  now: () => Date
  /** A long-running process: it may load the transformer and the tokeniser. */
  resident: boolean
  /** Answers from the current index, even if stale, and never writes to it. */
  asIs?: boolean
  keptIndexes?: KeptIndexes | undefined
  /** The folder of the sessions; undefined if it is not usable. */
  sessions: () => string | undefined
  /** The learned memories of this checkout; undefined while nothing has been learned. */
  learned?: () => (LearnedParts & LearnedSource & Pick<LearnedRecall, "conversationMonths">) | undefined
  /** What was said in this project; undefined while no transcript has been read. */
  conversations?: () => ConversationSource | undefined
  /** Opens the staleness notes at a path. */
  notes?: (path: string) => RecallParts["noteOn"]
  /** Called with warnings for the user: only words are searched, an index was set aside. */
  warn: (message: string) => void
}

/**
 * `past`: with conversations and commits, updated first or as they are indexed. `progress` is called with the number of
 * files synced so far.
 */
export type QuestionScope = {
  sessions?: boolean
  past?: true | "as it is"
  progress?: ((done: number, total: number) => void) | undefined
}

/** One checkout's memory, open for queries. */
export type Recall = {
  readonly place: IndexPlace
  /** Whether the index can answer at once; otherwise the next question updates it first. */
  isCurrent(): Promise<boolean>
  /**
   * Runs a query on an up-to-date index; session notes are synced only with `sessions`, and conversations and commits
   * with `past`, since few queries need them. `unindexed`: so many commits are not indexed yet.
   */
  ask<Answer>(
    question: (parts: RecallParts) => Promise<Answer>,
    about?: QuestionScope,
  ): Promise<{ answer: Answer; trouble: ReadProblems; unindexed: number }>
  /** The ids that a typed one may mean, in the index as it is. */
  idsLike(typed: string): Promise<string[]>
  /** The index itself, to change it. */
  index(): Promise<SqliteIndex>
  /** How much of git's history is indexed. */
  historyState(): Promise<HistoryState>
  /** Indexes conversations and commits, however long it takes. */
  indexPast(options?: PastOptions): Promise<void>
  /** Runs an operation on the index; if the index turns out to be damaged, retries once on a rebuilt one. */
  mending<Result>(act: () => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

/** A question that comes so soon after `isCurrent` does not check the files again. */
const momentMs = 1000

const noTrouble: ReadProblems = { unreadable: [], conflicts: [] }

/**
 * Opens the memory of a checkout. While its index is current, it is only read, with little code; what updates it is
 * loaded when there is something to update or to report, and answers from then on.
 */
export async function openRecall(options: RecallOptions): Promise<Recall> {
  const { store, home, now, asIs = false, resident } = options
  const [folder] = store.folders
  if (!folder) throw new DreyError(`${store.root} has no .squad folder`)
  const place = indexPlaceOf(home, folder.path)
  let reader: CurrentIndex | undefined
  let synced: Promise<SyncedRecall> | undefined
  let currentAt = Number.NEGATIVE_INFINITY

  const open = () => {
    if (asIs) throw new DreyError("The search index is not ready yet", { exitCode: exitCode.no })
    synced ??= import("./sync/synced-recall.ts").then(({ openSyncedRecall }) => openSyncedRecall(options, place))
    return synced
  }
  /** The index as it is on disk, if there is one and nobody here has begun to change it. */
  const readable = () => {
    if (synced || resident) return undefined
    reader ??= openCurrentIndex(options, place)
    return reader
  }
  const isCurrent = async (about: QuestionScope = {}) => {
    try {
      const found = readable()
      return found !== undefined && (asIs || (await found.isCurrent(about)))
    } catch (error) {
      if (asIs || !(error instanceof DreyError)) throw error
      return false // a home that cannot be written, for one: the next question uses a copy, or reports the same error
    }
  }
  const closeReader = async () => {
    const closing = reader
    reader = undefined
    await closing?.close()
  }

  return {
    place,
    async isCurrent() {
      const isIt = await isCurrent()
      currentAt = isIt ? now().getTime() : Number.NEGATIVE_INFINITY
      return isIt
    },
    async ask(question, about = {}) {
      const isKnown = now().getTime() - currentAt < momentMs && !about.sessions && about.past !== true
      currentAt = Number.NEGATIVE_INFINITY
      const found = isKnown || (await isCurrent(about)) ? readable() : undefined
      if (found) {
        try {
          return { answer: await question(found.parts(about)), trouble: noTrouble, unindexed: 0 }
        } catch (error) {
          if (asIs || !isUnusable(error)) throw error
          await closeReader() // damage only shows in use
        }
      }
      return (await open()).ask(question, about)
    },
    idsLike: async (typed) => ((!synced && reader) || (await open()).index).idsLike(typed),
    index: async () => (await open()).index,
    mending: async (act) => (await open()).mending(act),
    historyState: async () => (asIs ? { indexed: 0, total: 0 } : (await open()).historyState()),
    async indexPast(given) {
      if (!asIs) await (await open()).indexPast(given)
    },
    async close() {
      await closeReader()
      await (await synced)?.close()
    },
  }
}
