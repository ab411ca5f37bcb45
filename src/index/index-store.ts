import type { LoadGuidance, MemoryClass } from "../governance/classify.ts"
import type { Item, ItemSource } from "./item.ts"

/**
 * One place items come from: a file of the store, or the learned memories. The stamp is whatever tells that it changed.
 */
export type Origin = { key: string; stamp: string }

/** What an origin holds now, in its order: neighbours are neighbours. */
export type OriginItems = Origin & { items: Item[] }

/**
 * An item with its place; `supersedes` and `supersededBy` are the ids that the references lead to, in both directions.
 */
export type StoredItem = Item & { row: number; origin: string; position: number }

/**
 * Which items may be found. Every key narrows; what is not given does not count, but see `agent`, `superseded`,
 * `archived`.
 */
export type Filter = Attributes & {
  /** Also what belongs to this agent alone; undefined: only what is everybody's; "*": all. */
  agent?: string | undefined
  /** Only what belongs to this agent alone, whatever `agent` says. */
  owner?: string
  /** Superseded items are left out, are there too (true), or are wanted alone. */
  superseded?: boolean | "only"
  /**
   * Also what is marked `[ARCHIVE]` or `[NEVER]`. Entries that were moved to an archive file are found like all others.
   */
  archived?: boolean
  /** By `expires` and the time that the request names: undefined: no matter. */
  expired?: "without" | "only"
  /**
   * The index as it stood then: later items are absent and supersede nothing. Items without a date are always there.
   */
  asOf?: number
  /** An item that fits any of these is left out. */
  not?: Attributes
  /** An item must fit one of these as a whole. */
  anyOf?: Attributes[]
}

/**
 * One of the values fits, but all of the tags must (under `not`, one is enough); names compare without case. An item
 * without a date is neither after nor before.
 */
export type Attributes = {
  sources?: ItemSource[]
  types?: string[]
  classes?: MemoryClass[]
  loads?: LoadGuidance[]
  /** Only what has guidance of its own. */
  marked?: true
  /** The author or a contributor. */
  authors?: string[]
  tags?: string[]
  scopes?: string[]
  /** What holds in one of these folders of the repository, and only there. */
  pathPrefixes?: string[]
  /** What holds in some folder of the repository only. */
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
  /** So many of the best by words also bring the two items on either side in their origin. */
  neighbours?: number
  /** A word that no item holds is taken for the beginning of one: somebody is typing. */
  complete?: boolean
  now: number
}

/** A word of the request as the index knows it. */
export type QueryTerm = { term: string; documents: number; idf: number }

/** One item with every signal that speaks for it, proposed by whichever; ranking is recall's business. */
export type Candidate = Pick<Item, "id" | "title" | "source" | "at"> & {
  row: number
  origin: string
  position: number
  /** BM25 over all words of the request, 0 without any. */
  words: number
  /** The share of the request's idf that the item's words hold, 0 to 1. */
  coverage: number
  /** How near its passages are; undefined where the item or the request has no vector of this model. */
  static: number | undefined
  minilm: number | undefined
  /** The cosine of each of its passages by the finest model, as `cutPassages` cuts them; none without a vector. */
  passages: readonly number[]
  /** The distinct words of its title by their hashes, to compare candidates with each other. */
  titleWords(): Set<number>
  /** Whether its words say that it changes something decided before, without a link to what. */
  amends: boolean
  /** Ids of what replaced it, as of the time asked for. */
  supersededBy: string[]
}

export type Found = {
  candidates: Candidate[]
  /** The request's distinct words, rarest first. */
  terms: QueryTerm[]
  /** How many items there are in all, filtered or not. */
  items: number
}

export type UpdateOutcome = {
  added: number
  /** Items whose words changed. */
  changed: number
  removed: number
  /** Origins that another process has brought to a third state since `seen`: look at them again. */
  overtaken: string[]
}

/** An item without a vector of a model: what to embed, and what to hand back with it. */
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
 * Words and vectors of every item. Each method is one transaction or one snapshot; any number of processes share an
 * index.
 */
export type IndexStore = {
  /** Key → stamp of every origin. */
  origins(): Promise<Map<string, string>>
  /** Whether vectors are to be made anew, because another table, or none, made those there are: an update does it. */
  isBehind(): Promise<boolean>
  /**
   * Makes the index hold these origins as given and forget those that are gone. Items that did not change keep their
   * row, words and vectors. With `seen`, what `origins()` said when the caller looked, an origin that somebody else
   * changed since is left alone: he may know newer content. Also fills in vectors that are missing, when there is an
   * embedder; so may be called with nothing.
   */
  update(changed: OriginItems[], gone?: string[], seen?: ReadonlyMap<string, string>): Promise<UpdateOutcome>
  /**
   * Gives origins another stamp whose content is as it was; one that somebody else changed since `seen` is left alone.
   */
  restamp(origins: Origin[], seen: ReadonlyMap<string, string>): Promise<void>
  /**
   * Drops everything but aliases, and the transformer's vectors of words that are there again, and takes these origins
   * in, in one step for whoever reads meanwhile. With `seen`, nothing at all happens where somebody else changed an
   * origin since.
   */
  rebuild(origins: OriginItems[], seen?: ReadonlyMap<string, string>): Promise<UpdateOutcome>
  /** A number that is another after every change. */
  version(): Promise<number>
  find(request: FindRequest): Promise<Found>
  /**
   * The ids of all items that hold one of the words, the best by words first; `find` gives the best of them all their
   * signals.
   */
  holding(request: Pick<FindRequest, "text" | "complete">): Promise<string[]>
  /**
   * In the order asked for; ids may be aliases or unique beginnings of ids, unknown ones are left out. Of several items
   * with one id the first by source.
   */
  items(ids: string[]): Promise<StoredItem[]>
  /** The ids that a typed one may mean: itself, the one that it is an alias of, or all that it is the beginning of. */
  idsLike(typed: string): Promise<string[]>
  /**
   * What `find` named, in the order asked for, less what is gone since; a row number never comes to mean another item.
   */
  rows(rows: number[]): Promise<StoredItem[]>
  /** Newest first; without a date last. */
  select(filter: Filter, options: { now: number; limit?: number }): Promise<StoredItem[]>
  missingVectors(model: Model, limit: number): Promise<MissingVectors[]>
  /**
   * Keeps vectors of items that are still as they were when `missingVectors` named them; returns how many that were.
   */
  putVectors(model: Model, vectors: PassageVectors[]): Promise<number>
  stats(): Promise<IndexStats>
  /** All content in an order that does not depend on how it came about, for comparing two indexes. */
  dump(): Promise<string[]>
  close(): Promise<void>
}

/** The part of it that only asks. */
export type IndexReader = Pick<
  IndexStore,
  "origins" | "isBehind" | "version" | "find" | "holding" | "items" | "rows" | "select"
>
