import type { querySources } from "../formats/query.ts"
import type { LoadGuidance, MemoryClass } from "../governance/classify.ts"

/** A source of items: a file of the store, or the learned memories. The stamp changes with the content. */
export type ItemOrigin = { key: string; stamp: string }

/** The current items of an origin, in order: neighbours are neighbours. */
export type OriginItems = ItemOrigin & { items: Item[] }

/** An item with its location; `supersedes` and `supersededBy` are resolved ids, in both directions. */
export type StoredItem = Item & { row: number; origin: string; position: number }

/**
 * Which items may be found. Every key narrows; a missing key does not filter, except `agent`, `superseded` and
 * `archived`.
 */
export type Filter = Attributes & {
  /** Also this agent's own items; undefined: only shared items; "*": all. */
  agent?: string | undefined
  /** Only this agent's own items, whatever `agent` is. */
  owner?: string
  /** Superseded items are excluded, included (true), or the only ones. */
  superseded?: boolean | "only"
  /** Also items marked `[ARCHIVE]` or `[NEVER]`. Entries in an archive file are found like all others. */
  archived?: boolean
  /** By `expires` and the request's time; undefined does not filter. */
  expired?: "without" | "only"
  /**
   * The index as of that time: later items are absent and supersede nothing. Items without a date are always present.
   */
  asOf?: number
  /** Items that match any of these are excluded. */
  not?: Attributes
  /** An item must match one of these as a whole. */
  anyOf?: Attributes[]
}

/**
 * One of the values must match, but all of the tags and related references (under `not`, one is enough); names ignore
 * case. An item without a date is neither after nor before.
 */
export type Attributes = {
  sources?: ItemSource[]
  types?: string[]
  classes?: MemoryClass[]
  loads?: LoadGuidance[]
  /** Only items with their own guidance. */
  marked?: true
  /** The author or a contributor. */
  authors?: string[]
  tags?: string[]
  /** As `relatedKey` gives them. */
  related?: string[]
  /** Items that name or touch all of these files, or files in these folders. */
  files?: string[]
  /** Sessions by the beginning of their ids, and clients. */
  sessions?: string[]
  clients?: string[]
  scopes?: string[]
  /** Items that apply in one of these folders of the repository, and only there. */
  pathPrefixes?: string[]
  /** Items that apply in some folder of the repository only. */
  inFolder?: true
  /** Ids or aliases of ids. */
  ids?: string[]
  after?: number
  before?: number
}

export const models = ["static", "minilm"] as const
export type Model = (typeof models)[number]

/** The length of every vector. */
export const dimensions = 256

export type FindRequest = {
  text: string
  vectors: { model: Model; vector: Float32Array }[]
  filter: Filter
  /** How many items each signal may propose: the best by words and the best by each vector. */
  limit: number
  /** This many of the best by words also add the two items on either side in their origin. */
  neighbours?: number
  /** An unknown word is treated as the beginning of one: the user is typing. */
  complete?: boolean
  now: number
}

/** A word of the request as the index stores it. */
export type IndexQueryTerm = { term: string; documents: number; idf: number }

/** One item with every signal, whichever signal proposed it; recall does the ranking. */
export type IndexCandidate = Pick<Item, "id" | "title" | "source" | "at"> & {
  row: number
  origin: string
  position: number
  /** BM25 over all words of the request, 0 if there are none. */
  words: number
  /** The share of the request's idf covered by the item's words, 0 to 1. */
  coverage: number
  /** The similarity of its passages; undefined if the item or the request has no vector of this model. */
  static: number | undefined
  minilm: number | undefined
  /** The cosine of each of its passages by the best model, as `cutPassages` splits them; empty without a vector. */
  passages: readonly number[]
  /** The hashes of the distinct words of its title, to compare candidates with each other. */
  titleWords(): Set<number>
  /** The same of all its words. */
  allWords(): Set<number>
  /** Whether its words mention a change to an earlier decision, without a link to it. */
  amends: boolean
  /** Ids of the items that replaced it, as of the requested time. */
  supersededBy: string[]
}

export type FoundCandidates = {
  candidates: IndexCandidate[]
  /** The request's distinct words, rarest first. */
  terms: IndexQueryTerm[]
  /** The number of all items, filtered or not. */
  items: number
}

export type UpdateOutcome = {
  added: number
  /** Items whose words changed. */
  changed: number
  removed: number
  /** Origins that another process has changed since `seen`: read them again. */
  overtaken: string[]
}

/** An item without a vector of a model: what to embed, and what to return with it. */
export type MissingVectors = { row: number; hash: string; passages: string[] }

export type PassageVectors = { row: number; hash: string; vectors: Float32Array[] }

export type IndexStats = {
  schema: number
  bytes: number
  items: number
  sources: Partial<Record<ItemSource, number>>
  /** Items with a vector, by model; passages are what was embedded. */
  vectors: Record<Model, { id: string | undefined; items: number; passages: number }>
  terms: number
  links: number
  aliases: number
}

/**
 * Words and vectors of every item. Each method is one transaction or snapshot; any number of processes share an index.
 */
export type IndexStore = {
  /** Key → stamp of every origin. */
  origins(): Promise<Map<string, string>>
  /** Whether vectors must be rebuilt because another table, or none, made them; an update does that. */
  isBehind(): Promise<boolean>
  /**
   * Writes the current content of these origins and removes those that are gone. Unchanged items keep their row, words
   * and vectors. With `seen` (the caller's last `origins()`), origins changed by another process since are skipped: its
   * content may be newer. Also backfills missing vectors if there is an embedder, so it may be called without changes.
   */
  update(changed: OriginItems[], gone?: string[], seen?: ReadonlyMap<string, string>): Promise<UpdateOutcome>
  /**
   * Updates the stamps of origins with unchanged content; those changed by another process since `seen` are skipped.
   */
  restamp(origins: ItemOrigin[], seen: ReadonlyMap<string, string>): Promise<void>
  /**
   * Rebuilds the index from these origins in one transaction; keeps only aliases, and the transformer's vectors of
   * unchanged text. With `seen`, does nothing if another process has changed an origin since.
   */
  rebuild(origins: OriginItems[], seen?: ReadonlyMap<string, string>): Promise<UpdateOutcome>
  /** A number that changes with every change. */
  version(): Promise<number>
  find(request: FindRequest): Promise<FoundCandidates>
  /**
   * The ids of all items that contain one of the words, the best by words first; `find` computes all signals for the
   * best.
   */
  holding(request: Pick<FindRequest, "text" | "complete">): Promise<string[]>
  /**
   * In the requested order; ids may be aliases or unique prefixes, unknown ones are left out. Among several items with
   * one id, the first by source.
   */
  items(ids: string[]): Promise<StoredItem[]>
  /** The ids that a typed one may mean: itself, the target of an alias, or all that start with it. */
  idsLike(typed: string): Promise<string[]>
  /**
   * The items of rows from `find`, in the requested order, without removed ones; a row number is never reused for
   * another item.
   */
  rows(rows: number[]): Promise<StoredItem[]>
  /** Newest first; items without a date last. */
  select(filter: Filter, options: { now: number; limit?: number }): Promise<StoredItem[]>
  missingVectors(model: Model, limit: number): Promise<MissingVectors[]>
  /** Stores vectors of items that are unchanged since `missingVectors`; returns how many were stored. */
  putVectors(model: Model, vectors: PassageVectors[]): Promise<number>
  stats(): Promise<IndexStats>
  /** All content in an order independent of its history, for comparing two indexes. */
  dump(): Promise<string[]>
  close(): Promise<void>
}

/** The read-only part. */
export type IndexReader = Pick<
  IndexStore,
  "origins" | "isBehind" | "version" | "find" | "holding" | "items" | "rows" | "select"
>

/** The same of an index in a file. */
export type IndexFileReader = IndexReader & Pick<IndexStore, "idsLike">

export type ItemSource = (typeof querySources)[number]

/** Anything that can be recalled, as stored in the index. */
export type Item = {
  id: string
  source: ItemSource
  /**
   * decision, directive, note, memory, skill; guard, invariant… for learned memories; discovery, attempt, decision for
   * entries of a session.
   */
  type: string
  class: MemoryClass
  load: LoadGuidance
  /** `load` was set for this item; otherwise its class decides. */
  marked?: boolean
  title: string
  /** All searched text beside the title: summary, details, rationale. */
  text: string
  tags: string[]
  /** What it names as related, as `relatedKeys` gives it; the index finds by it and does not give it back. */
  related?: string[]
  /**
   * The files it touches, its session and its client; without them, the files that its text names. The index finds by
   * it and does not give it back.
   */
  places?: { files: readonly string[]; session?: string; client?: string }
  author: string
  contributors: string[]
  /** The agent that owns it; undefined: shared. Lower case. */
  agent: string | undefined
  scope: string
  pathPrefix: string | undefined
  path: string
  line: number
  /** Milliseconds since 1970; undefined if the item has no date. */
  at: number | undefined
  /** Only the day of `at` is known: its time of day is a placeholder and matches no reference. */
  dayOnly?: boolean
  expires: number | undefined
  governed: boolean
  /** Ids or timestamps that this item says it replaces, and ids that it says replaced it; resolved by the index. */
  supersedes: string[]
  supersededBy: string[]
  /** What clients show of it, as JSON that the index does not read. */
  payload: string
}
