import type { Policy } from "../formats/policy.ts"
import type { Model, StoredItem } from "../index/index-store.ts"
import type { Gathered } from "./gather.ts"
import { isTrivial } from "./is-trivial.ts"
import { type LearnedPayload, readPayload } from "./payload.ts"
import { rank } from "./rank.ts"
import type { RecallParts } from "./recall-parts.ts"
import { isInside } from "./standing.ts"

export type LearnedRequest = { agent: string | undefined; task: string; paths: readonly string[] }

/**
 * The learned memories that may bear on a task, the best first; each says whether it does (`qualifies`). Facts under a key are
 * candidates for whatever is done. They are asked for apart from all else: thousands of entries must not crowd out the few.
 */
export async function gatherLearned(parts: RecallParts, request: LearnedRequest): Promise<Gathered[]> {
  const { learned } = parts
  if (!learned || request.task.trim() === "" || isTrivial(request.task)) return []
  const { top_k, opportunity_similarity } = learned.settings
  const found = await findLearned(parts, request.task, top_k)
  const others = (await selectCandidates(parts, request)).filter(({ row }) => !found.has(row))
  const items = [...(await parts.index.rows([...found.keys()])), ...others]
  const uses = await learned.useCounts(items.map(({ id }) => id))
  const gathered = items
    .map((item) => {
      const signal = found.get(item.row)
      const { key, ...payload } = learnedPayload(item)
      const similarity = signal?.similarity ?? 0
      const qualifies =
        signal?.qualifies === true ||
        similarity >= opportunity_similarity ||
        (key !== undefined && mentionsKey(request.task, key)) ||
        (item.pathPrefix !== undefined && request.paths.some((path) => isInside(path, item.pathPrefix ?? "")))
      const standing = scoreLearned(payload, item.type, similarity, uses.get(item.id) ?? 0, learned.settings)
      return {
        item,
        score: standing,
        relevance: signal?.relevance ?? 0,
        qualifies,
        signals: signal?.signals,
        confidence: payload.confidence,
        ...(key === undefined ? {} : { keyed: mentionsKey(request.task, key) ? ("named" as const) : ("any" as const) }),
      }
    })
    .sort((one, other) => other.score - one.score || other.confidence - one.confidence || newer(one.item, other.item))
  return withOneOnTrial(gathered)
}

/** What is proven ranks first and would keep the new from ever being tried: the best that is on trial stands second. */
function withOneOnTrial(gathered: readonly Gathered[]): Gathered[] {
  const at = gathered.findIndex(
    ({ item, qualifies }) => qualifies && item.type !== "guard" && learnedPayload(item).status === "provisional",
  )
  if (at < 2) return [...gathered]
  const [first, ...others] = gathered.filter((_, index) => index !== at)
  return [first, gathered[at], ...others] as Gathered[]
}

/** How near, how proven, of what kind, how often of use; the weights are the policy's. */
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
  const vectors: { model: Model; vector: Float32Array }[] = []
  if (parts.embedNow) vectors.push({ model: "static", vector: parts.embedNow(text) })
  if (parts.embedDeep) vectors.push({ model: "minilm", vector: await parts.embedDeep(text) })
  const filter = { sources: ["learned" as const], superseded: true }
  const ranked = rank(await parts.index.find({ text, vectors, filter, limit, now: parts.now().getTime() }))
  return new Map(
    ranked.map(({ candidate, relevance, qualifies, signals }) => {
      const similarity = candidate.minilm ?? candidate.static ?? candidate.coverage
      return [candidate.row, { similarity: Math.max(0, similarity), relevance, qualifies, signals }]
    }),
  )
}

/** Facts under a key, and what holds for the files that the task is about. */
async function selectCandidates(parts: RecallParts, { paths }: LearnedRequest): Promise<StoredItem[]> {
  const items = await parts.index.select({ sources: ["learned"] }, { now: parts.now().getTime(), limit: mostSelected })
  return items.filter((item) => {
    const { pathPrefix } = item
    const isHere = pathPrefix !== undefined && paths.some((path) => isInside(path, pathPrefix))
    return isHere || learnedPayload(item).key !== undefined
  })
}

const mostSelected = 2000

/** `project.package_manager` is named by “package manager”, `project.test.command` by “test command”. */
export function mentionsKey(task: string, key: string): boolean {
  const words = key.split(".").slice(1).join(" ").replace(/[_-]+/g, " ").toLowerCase()
  return words !== "" && ` ${task.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ")} `.includes(` ${words} `)
}

export function learnedPayload(item: StoredItem): LearnedPayload {
  const payload = readPayload(item)
  if (payload.kind === "learned") return payload
  throw new Error(`${item.id} is no learned memory`)
}

function newer(one: StoredItem, other: StoredItem): number {
  return (other.at ?? 0) - (one.at ?? 0) || (one.id < other.id ? -1 : 1)
}
