import type { Policy } from "../formats/policy.ts"
import type { IndexFileReader, IndexReader, StoredItem } from "../index/index-store.ts"

/** The dependencies of recall; the opener chooses those this process can afford. */
export type RecallParts = {
  index: IndexReader
  /** What was said and done: conversations and commits. Undefined where the question does not need it. */
  past?: IndexFileReader | undefined
  /** Synchronous static embedding; undefined without a table: then only words count. */
  embedNow: ((text: string) => Float32Array) | undefined
  /** The transformer, if this process has loaded it. */
  embedDeep: ((text: string) => Promise<Float32Array>) | undefined
  /** An upper bound on the number of tokens. */
  countTokens: (text: string) => number
  now: () => Date
  /** The user has not trusted this repository: none of its entries is a rule. */
  untrusted?: true
  /** A note about things the item mentions that no longer exist; usually undefined. Cheap to call. */
  noteOn?: ((item: Pick<StoredItem, "id" | "title" | "text">) => string | undefined) | undefined
  /** What is needed to include learned memories; undefined while nothing has been learned. */
  learned?:
    | (Pick<LearnedParts, "useCounts"> & Partial<Pick<LearnedParts, "holdoutRate">> & { settings: Policy["retrieval"] })
    | undefined
}

export type LearnedParts = {
  /** The retrieval settings, with the thresholds for this embedder. */
  settingsFor(embedder: string | undefined): Policy["retrieval"]
  /** The fraction of tasks that get no learned memories, for comparison. */
  holdoutRate: number
  useCounts(ids: readonly string[]): Promise<ReadonlyMap<string, number>>
}

/**
 * Recall for a repository that the user has not trusted: its items are background only, and of the learned memories
 * only global ones are visible.
 */
export function asUntrusted(parts: RecallParts): RecallParts {
  const { index } = parts
  const isSeen = ({ source, scope }: StoredItem) => source !== "learned" || scope === "global"
  return {
    ...parts,
    untrusted: true,
    index: {
      ...index, // `find` returns only rows, which are read below
      items: async (ids) => (await index.items(ids)).filter(isSeen),
      rows: async (rows) => (await index.rows(rows)).filter(isSeen),
      select: async (filter, options) => (await index.select(filter, options)).filter(isSeen),
    },
  }
}
