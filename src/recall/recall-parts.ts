import type { Policy } from "../formats/policy.ts"
import type { IndexReader, StoredItem } from "../index/index-store.ts"

/** What recall works with; whoever opens it hands in what this process may afford. */
export type RecallParts = {
  index: IndexReader
  /** Text to vector at once, from the table; undefined when there is none: then words alone decide. */
  embedNow: ((text: string) => Float32Array) | undefined
  /** The transformer, where this process has loaded it. */
  embedDeep: ((text: string) => Promise<Float32Array>) | undefined
  /** Never less than the true number of tokens. */
  countTokens: (text: string) => number
  now: () => Date
  /** The user has not trusted this repository: nothing that it brings along is a rule. */
  untrusted?: true
  /** A sentence on what an item names that is there no more; undefined for most. Costs next to nothing. */
  noteOn?: ((item: Pick<StoredItem, "id" | "title" | "text">) => string | undefined) | undefined
  /** What it takes to hand out learned memories; undefined where nothing was learned yet. */
  learned?:
    | (Pick<LearnedParts, "useCounts"> & Partial<Pick<LearnedParts, "holdoutRate">> & { settings: Policy["retrieval"] })
    | undefined
}

export type LearnedParts = {
  /** The retrieval settings, with the thresholds for this embedder. */
  settingsFor(embedder: string | undefined): Policy["retrieval"]
  /** The share of tasks that are done without what was learned. */
  holdoutRate: number
  useCounts(ids: readonly string[]): Promise<ReadonlyMap<string, number>>
}
