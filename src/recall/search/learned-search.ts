import { foldText } from "../../formats/query-match.ts"
import type { Filter, StoredItem } from "../../index/index-store.ts"
import type { Memory } from "../../memories/memory.ts"
import { learnedPayload } from "../payload.ts"
import type { RecallParts } from "../recall-parts.ts"
import { isWorthShowing } from "./item-search.ts"
import { fewProposals, findRanked } from "./ranking.ts"

export type LearnedSearch = {
  text: string
  limit: number
  kind?: Memory["kind"] | undefined
  tier?: Memory["tier"] | undefined
  /** Default: memories in use. */
  status?: Memory["status"] | undefined
  key?: string | undefined
}

export type LearnedHit = Pick<Memory, "id" | "kind" | "tier" | "status" | "key" | "text" | "confidence"> & {
  score: number
  /** Who shared it. */
  sharedBy?: string
}

/** Searches learned memories in use by words and meaning, best first. */
export async function searchLearned(parts: RecallParts, request: LearnedSearch): Promise<LearnedHit[]> {
  const { limit, tier, status } = request
  const hits = await search(parts, request, Math.max(limit, fewProposals))
  if (hits.length === limit || (tier === undefined && status === undefined)) return hits
  return search(parts, request, manyProposals) // the index does not know tier and status, so a low-ranked item may be the only match
}

const manyProposals = 5000

async function search(parts: RecallParts, request: LearnedSearch, proposals: number): Promise<LearnedHit[]> {
  const { text, limit, kind, tier, status, key } = request
  const filter: Filter = {
    sources: ["learned"],
    superseded: true,
    expired: "without",
    ...(kind === undefined ? {} : { types: [kind] }),
    ...(key === undefined ? {} : { tags: [key] }),
  }
  const ranked = (await findRanked(parts, text, filter, { proposals, complete: true })).filter(isWorthShowing)
  const items = await parts.index.rows(ranked.map(({ candidate }) => candidate.row))
  const byRow = new Map(items.map((item) => [item.row, item]))
  return ranked
    .flatMap(({ candidate, score }) => {
      const item = byRow.get(candidate.row)
      return item ? [toHit(item, score)] : []
    })
    .filter((hit) => (tier ?? hit.tier) === hit.tier && (status ?? hit.status) === hit.status)
    .slice(0, limit)
}

function toHit(item: StoredItem, score: number): LearnedHit {
  const { tier, status, key, confidence, sharedBy } = learnedPayload(item)
  const hit = { id: item.id, kind: item.type as Memory["kind"], tier, status, key, text: item.text, confidence, score }
  return sharedBy === undefined ? hit : { ...hit, sharedBy }
}

/** Searches ended memories, which are not indexed: those with most of the words first. */
export function searchEnded(memories: readonly Memory[], request: LearnedSearch): LearnedHit[] {
  const words = wordsOf(request.text)
  return memories
    .filter(
      ({ kind, tier, key }) =>
        (request.kind ?? kind) === kind && (request.tier ?? tier) === tier && (request.key ?? key) === key,
    )
    .map(({ id, kind, tier, status, key, text, confidence }) => {
      const held = new Set(wordsOf(text))
      const score = words.filter((word) => held.has(word)).length / Math.max(1, words.length)
      return { id, kind, tier, status, key, text, confidence, score }
    })
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score || (one.id < other.id ? -1 : 1))
    .slice(0, request.limit)
}

function wordsOf(text: string): string[] {
  return foldText(text).match(/[\p{L}\p{N}]+/gu) ?? []
}
