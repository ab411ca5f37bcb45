import { minilmId } from "../embedders/minilm-embedder.ts"
import { openStaticEmbedder } from "../embedders/static-embedder.ts"
import { DreyError, exitCode } from "../errors.ts"
import { isUnusable } from "../index/is-unusable.ts"
import { type SqliteIndex, sqliteIndex } from "../index/sqlite-index.ts"
import type { Store } from "../squad/find-store.ts"
import { bringUpToDate } from "./bring-up-to-date.ts"
import { chooseIndexFile } from "./choose-index-file.ts"
import { boundTokens } from "./count-tokens.ts"
import { type IndexPlace, indexPlaceOf } from "./index-place.ts"
import type { LearnedSource } from "./learned-source.ts"
import { openCurrent } from "./open-current.ts"
import type { LearnedParts, RecallParts } from "./recall-parts.ts"
import { openResidentParts } from "./resident-parts.ts"
import type { Trouble } from "./trouble.ts"

export type RecallOptions = {
  store: Store
  /** Drey's own folder, outside of any repository. */
  home: string
  now: () => Date
  /** A long-running process: it may load the transformer and the tokeniser. */
  resident: boolean
  /** Answers from the index as it is, even if stale, and never writes to it. */
  asIs?: boolean
  /** The folder of the sessions; undefined if it is not usable. */
  sessions: () => string | undefined
  /** The learned memories of this checkout; undefined while nothing has been learned. */
  learned?: () => (LearnedParts & LearnedSource) | undefined
  /** Opens the staleness notes at a path. */
  notes?: (path: string) => RecallParts["noteOn"]
  /** Called with warnings for the user: only words are searched, an index was set aside. */
  warn: (message: string) => void
}

/** `progress` is called with the number of files synced so far. */
type Asking = { sessions?: boolean; progress?: ((done: number, total: number) => void) | undefined }

/** One checkout's memory, open for queries. */
export type Recall = {
  readonly place: IndexPlace
  readonly index: SqliteIndex
  /**
   * Runs a query on an up-to-date index; session notes are synced only with `sessions`, since few queries need them.
   */
  ask<Answer>(
    question: (parts: RecallParts) => Promise<Answer>,
    about?: Asking,
  ): Promise<{ answer: Answer; trouble: Trouble }>
  /** Runs an operation on the index; if the index turns out to be damaged, retries once on a rebuilt one. */
  mending<Result>(act: () => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

/** Opens the index of a checkout. One that is damaged, even if that shows only later, is set aside and rebuilt. */
export async function openRecall(options: RecallOptions): Promise<Recall> {
  const { store, now, warn } = options
  const [folder] = store.folders
  if (!folder) throw new DreyError(`${store.root} has no .squad folder`)
  if (options.asIs) return openAsIs(options)
  const place = indexPlaceOf(options.home, folder.path)
  const table = openStaticEmbedder()
  if (table.kind === "unavailable") warn(`searching by words alone: ${table.reason}`)
  const embedder = table.kind === "ready" ? table.embedder : undefined
  const file = chooseIndexFile(place.index)
  if (file.problem !== undefined)
    warn(`the search index cannot be saved: ${file.problem}; using a slower temporary index`)
  const index = await sqliteIndex(file.path, {
    embedder: embedder && { id: embedder.id, embed: (texts) => texts.map((text) => embedder.embedNow(text)) },
    minilm: minilmId,
  })
  if (index.wasSetAside)
    warn(`the search index could not be used; it was set aside as ${index.wasSetAside} and rebuilt`)
  const resident = options.resident ? await openResidentParts(warn) : undefined
  const parts: RecallParts = {
    index,
    embedNow: embedder && ((text) => embedder.embedNow(text)),
    embedDeep: resident?.embedDeep,
    countTokens: resident?.countTokens ?? boundTokens,
    now,
    noteOn: options.notes?.(place.notes),
  }
  const attempt = async <Answer>(question: (parts: RecallParts) => Promise<Answer>, about: Asking) => {
    const sessions = about.sessions ? options.sessions() : undefined
    const sources = { store, sessions, learned: options.learned, progress: about.progress }
    const trouble = await bringUpToDate(index, sources, now)
    const learned = options.learned?.()
    const handed = learned && {
      settings: learned.settingsFor(embedder?.id),
      useCounts: learned.useCounts,
      holdoutRate: learned.holdoutRate,
    }
    return { answer: await question({ ...parts, learned: handed }), trouble }
  }
  const mending = async <Result>(act: () => Promise<Result>) => {
    try {
      return await act()
    } catch (error) {
      if (!isUnusable(error)) throw error
      const aside = await index.setAside()
      if (aside !== undefined) warn(`the search index was damaged; it was set aside as ${aside} and rebuilt`)
      return act()
    }
  }
  return {
    place,
    index,
    ask: (question, about = {}) => mending(() => attempt(question, about)),
    mending,
    async close() {
      embedder?.close()
      await index.close()
      file.release()
    },
  }
}

/** Never waits for another process that is building the index. */
async function openAsIs({ store, home, now, learned, notes }: RecallOptions): Promise<Recall> {
  const current = await openCurrent(store, home, now, { learned: learned?.(), asIs: true })
  if (!current) throw new DreyError("The search index is not ready yet", { exitCode: exitCode.no })
  const parts = { ...current.parts, noteOn: notes?.(current.place.notes) }
  return {
    place: current.place,
    get index(): never {
      throw new Error("An index opened read-only cannot be changed.")
    },
    ask: async (question) => ({ answer: await question(parts), trouble: { unreadable: [], conflicts: [] } }),
    mending: (act) => act(),
    close: async () => current.close(),
  }
}
