import { foldersOf, isInside } from "../../formats/file-paths.ts"
import { keysMatchedBy, plainWords, taskMatchesKey } from "../../formats/memory-topics.ts"
import type { Policy } from "../../formats/policy.ts"
import { bareWords } from "../../formats/text.ts"
import { cosineSimilarity } from "../../index/embedders/embedder.ts"
import type { StoredItem } from "../../index/index-store.ts"
import { type LearnedPayload, learnedPayload } from "../payload.ts"
import type { RecallParts } from "../recall-parts.ts"
import { rank, vectorsOf } from "../search/ranking.ts"
import type { Gathered } from "./gather.ts"

export type LearnedRequest = { agent: string | undefined; task: string; paths: readonly string[] }

/**
 * Learned memories for a task, best first; `qualifies` says whether one is relevant. They are queried separately, so
 * that thousands of entries do not crowd them out.
 */
export async function gatherLearned(parts: RecallParts, request: LearnedRequest): Promise<Gathered[]> {
  const { learned } = parts
  if (!learned || request.task.trim() === "" || isTrivial(request.task)) return []
  const { top_k, opportunity_similarity } = learned.settings
  const words = plainWords(request.task)
  const found = await findLearned(parts, request.task, top_k)
  const candidates = [...(await parts.index.rows([...found.keys()])), ...(await selectCandidates(parts, request))]
  const items = withoutRepeated([...candidates, ...(await selectRivals(parts, candidates))])
  const uses = await learned.useCounts(items.map(({ id }) => id))
  const gathered = items
    .map((item) => {
      const signal = found.get(item.row)
      const { key, ...payload } = learnedPayload(item)
      const isNamed = key !== undefined && taskMatchesKey(words, key)
      const similarity = signal?.similarity ?? 0
      const qualifies =
        signal?.qualifies === true ||
        similarity >= opportunity_similarity ||
        isNamed ||
        (item.pathPrefix !== undefined && request.paths.some((path) => isInside(path, item.pathPrefix ?? "")))
      const standing = scoreLearned(payload, item.type, similarity, uses.get(item.id) ?? 0, learned.settings)
      return {
        item,
        score: standing,
        relevance: signal?.relevance ?? 0,
        qualifies,
        signals: signal?.signals,
        confidence: payload.confidence,
        ...(key === undefined ? {} : { keyed: isNamed ? ("named" as const) : ("any" as const) }),
      }
    })
    .sort((one, other) => other.score - one.score || other.confidence - one.confidence || newer(one.item, other.item))
  const standing = await withoutTaken(parts, withoutContradicted(parts, gathered))
  return withOneOnTrial(withPrecedence(standing, request.paths))
}

/** Of two that contradict each other only the newer one is handed out, with a note; both are flagged for the user to review. */
function withoutContradicted({ embedNow }: RecallParts, gathered: readonly Gathered[]): Gathered[] {
  const contested = gathered.filter(({ item }) => item.tags.includes("conflict"))
  if (contested.length < 2) return [...gathered]
  const vectors = new Map(contested.map(({ item }) => [item.row, embedNow?.(item.text)]))
  const contradicts = (one: StoredItem, other: StoredItem) =>
    learnedPayload(one).polarity !== learnedPayload(other).polarity &&
    likenessOf(vectors.get(one.row), vectors.get(other.row)) >= sameMatter
  const isNewer = (one: StoredItem, other: StoredItem) => (one.at ?? 0) > (other.at ?? 0)
  return gathered
    .filter(({ item }) => !contested.some((other) => isNewer(other.item, item) && contradicts(item, other.item)))
    .map((each) => {
      const older = contested.find(({ item }) => isNewer(each.item, item) && contradicts(each.item, item))
      return older ? { ...each, contradicts: older.item.id } : each
    })
}

/** The similarity at which two contradicting memories are flagged as a conflict, minus a tolerance for rewording. */
const sameMatter = 0.7

function likenessOf(one: Float32Array | undefined, other: Float32Array | undefined): number {
  if (!one || !other) return 1 // without vectors the stored flags are the only evidence
  return cosineSimilarity(one, other)
}

/** Drops memories that are already team entries, so that nothing is included twice. */
async function withoutTaken({ index }: RecallParts, gathered: readonly Gathered[]): Promise<Gathered[]> {
  const graduated = gathered.filter(({ item }) => item.tags.includes("graduated"))
  if (graduated.length === 0) return [...gathered]
  const entries = await index.items(graduated.map(({ item }) => entryIdOf(item.id)))
  const taken = new Set(entries.filter(({ source }) => source === "decisions").map(({ id }) => id))
  return gathered.filter(({ item }) => !taken.has(entryIdOf(item.id)))
}

/** The id that a graduated memory has as a team entry. */
function entryIdOf(memory: string): string {
  return memory.replace(/^m-/, "learned-")
}

/** Puts the best memory on trial second: proven memories rank first and would keep new ones from ever being tried. */
function withOneOnTrial(gathered: readonly Gathered[]): Gathered[] {
  const at = gathered.findIndex(
    ({ item, qualifies }) => qualifies && item.type !== "guard" && learnedPayload(item).status === "provisional",
  )
  if (at < 2) return [...gathered]
  const [first, ...others] = gathered.filter((_, index) => index !== at)
  return [first, gathered[at], ...others] as Gathered[]
}

/** Combines similarity, status, kind and past usefulness with the weights of the policy. */
export function scoreLearned(
  { status, tier }: Pick<LearnedPayload, "status" | "tier">,
  kind: string,
  similarity: number,
  uses: number,
  { weights }: Policy["retrieval"],
): number {
  const isActive = status === "active"
  const hasTier = tier === "emergency" || (tier === "long_term" && isActive)
  return (
    weights.semantic_similarity * similarity +
    weights.status_active_boost * Number(isActive) +
    weights.tier_boost * Number(hasTier) +
    weights.kind_boost * (kindWeights[kind] ?? 0) +
    weights.use_count_factor * Math.min(1, Math.log(1 + uses) / Math.log(21))
  )
}

const kindWeights: Record<string, number> = { invariant: 1, preference: 1, pattern: 0.6, note: 0.3, guard: 0.3 }

type Signal = Pick<Gathered, "relevance" | "qualifies" | "signals"> & { similarity: number }

async function findLearned(parts: RecallParts, text: string, limit: number): Promise<Map<number, Signal>> {
  const vectors = await vectorsOf(parts, text)
  const filter = { sources: ["learned" as const], superseded: true }
  const ranked = rank(await parts.index.find({ text, vectors, filter, limit, now: parts.now().getTime() }))
  return new Map(
    ranked.map(({ candidate, relevance, qualifies, signals }) => {
      const similarity = candidate.minilm ?? candidate.static ?? candidate.coverage
      return [candidate.row, { similarity: Math.max(0, similarity), relevance, qualifies, signals }]
    }),
  )
}

/** Facts whose key matches the task, and memories for the files of the task, whatever their wording. */
async function selectCandidates(parts: RecallParts, { task, paths }: LearnedRequest): Promise<StoredItem[]> {
  const now = parts.now().getTime()
  const named = keysMatchedBy(plainWords(task)).map((key) => ({ tags: [key] }))
  const facts = named.length === 0 ? [] : await parts.index.select({ sources: ["learned"], anyOf: named }, { now })
  if (paths.length === 0) return facts
  const pathPrefixes = [...new Set(paths.flatMap(foldersOf))]
  const local = await parts.index.select({ sources: ["learned"], pathPrefixes }, { now })
  return [...facts, ...local.filter((item) => !facts.some(({ row }) => row === item.row))]
}

/** Other memories with the same keys: precedence is decided among all of them. */
async function selectRivals({ index, now }: RecallParts, candidates: readonly StoredItem[]): Promise<StoredItem[]> {
  const keys = new Set(candidates.filter(isFact).map((item) => learnedPayload(item).key ?? ""))
  if (keys.size === 0) return []
  const anyOf = [...keys].map((key) => ({ tags: [key] }))
  return (await index.select({ sources: ["learned"], anyOf }, { now: now().getTime() })).filter(isFact)
}

function withoutRepeated(items: readonly StoredItem[]): StoredItem[] {
  return [...new Map(items.map((item) => [item.row, item])).values()]
}

function newer(one: StoredItem, other: StoredItem): number {
  return (other.at ?? 0) - (one.at ?? 0) || (one.id < other.id ? -1 : 1)
}

const small =
  /\b(?:typos?|spelling|misspell(?:ed|ing)?|whitespace|indentation|formatting|reformat|prettier|line ?breaks?|comments?|punctuation|capitali[sz]ation)\b/i

/** A task of a few words about spelling, comments or layout: nothing learned from earlier work can matter to it. */
export function isTrivial(task: string): boolean {
  const words = task.trim().split(/\s+/)
  return words.length <= 10 && small.test(task) && !/\b(?:test|error|fail|bug|why|decide|review)/i.test(task)
}

/**
 * Resolves memories of the user and their teams on the same topic. Guards are never masked. Of preferences with one key
 * the user's own wins, then the team's, then the organisation's; of invariants the one with the narrower path, then the
 * team's. Everything else goes by rank. The winner inherits the relevance of those it replaces.
 */
function withPrecedence(gathered: readonly Gathered[], paths: readonly string[]): Gathered[] {
  const facts = gathered.filter(({ item }) => isFact(item) && isFor(item, paths))
  const maskedBy = new Map<Gathered, Gathered>()
  for (const fact of facts) {
    const winner = facts.find((other) => isAboutTheSame(fact.item, other.item) && compare(other.item, fact.item) < 0)
    if (winner) maskedBy.set(fact, winner)
  }
  const standing = gathered.filter((each) => !maskedBy.has(each)).map((each) => inPlaceOf(each, maskedBy))
  const single = new Set(withoutTwins(standing.map(({ item }) => item)))
  return standing.filter(({ item }) => single.has(item))
}

const factTypes = ["preference", "invariant"]

function isFact(item: StoredItem): boolean {
  return factTypes.includes(item.type) && learnedPayload(item).key !== undefined
}

function isFor({ pathPrefix }: StoredItem, paths: readonly string[]): boolean {
  return pathPrefix === undefined || paths.some((path) => isInside(path, pathPrefix))
}

function isAboutTheSame(one: StoredItem, other: StoredItem): boolean {
  return one.type === other.type && learnedPayload(one).key === learnedPayload(other).key
}

const owners = ["user", "team", "org"] as const

/** Below zero if the first one wins. */
function compare(one: StoredItem, other: StoredItem): number {
  const rank = (item: StoredItem) => owners.indexOf(learnedPayload(item).owner ?? "user")
  if (one.type === "preference") return rank(one) - rank(other) || depthOf(other) - depthOf(one)
  const isUsers = (item: StoredItem) => Number(rank(item) === 0)
  return depthOf(other) - depthOf(one) || isUsers(one) - isUsers(other) || rank(one) - rank(other)
}

function depthOf({ pathPrefix }: StoredItem): number {
  return pathPrefix === undefined ? 0 : pathPrefix.split("/").length
}

function inPlaceOf(each: Gathered, maskedBy: ReadonlyMap<Gathered, Gathered>): Gathered {
  const masked = [...maskedBy].filter(([, winner]) => winner === each).map(([loser]) => loser)
  if (masked.length === 0) return each
  const all = [each, ...masked]
  return {
    ...each,
    score: Math.max(...all.map(({ score }) => score)),
    relevance: Math.max(...all.map(({ relevance }) => relevance)),
    qualifies: all.some(({ qualifies }) => qualifies),
  }
}

/**
 * A shared memory exists twice for its author: the team's copy is kept, so that all members use and prove the same one.
 */
export function withoutTwins(items: readonly StoredItem[]): StoredItem[] {
  const isShared = (item: StoredItem) => item.source === "learned" && learnedPayload(item).owner !== undefined
  const said = new Set(items.filter(isShared).map(wordsOf))
  return items.filter((item) => isShared(item) || item.source !== "learned" || !said.has(wordsOf(item)))
}

function wordsOf({ type, pathPrefix = "", text }: StoredItem): string {
  return `${type} ${pathPrefix} ${bareWords(text)}`
}
