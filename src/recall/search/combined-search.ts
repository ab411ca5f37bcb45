import { queryOf } from "../../formats/query.ts"
import type { MemoryClass } from "../../governance/classify.ts"
import type { GovernedMemory } from "../../team/governed/governed-memory.ts"
import type { SearchHit, SearchRequest } from "./item-search.ts"

export type EverythingRequest = {
  /** Words and filters in the query language. */
  text: string
  /** Only items of this agent. */
  agent?: string | undefined
  /** Archived and superseded items too. */
  all?: boolean | undefined
  limit: number
}

/** One result with its governance class. */
export type EverythingHit = {
  id: string
  class: MemoryClass
  title: string
  snippet: string
  source: string
  path: string
  /** Who shared a team memory. */
  sharedBy?: string
}

export type EverythingOutcome = { kind: "found"; hits: EverythingHit[] } | { kind: "refused"; reason: string }

/**
 * Results from the index, then those found only by governed memory providers, in one audited list. A query with a
 * secret is sent to neither.
 */
export async function searchEverything(
  request: EverythingRequest,
  memory: Pick<GovernedMemory, "searchWith">,
  search: (request: SearchRequest) => Promise<SearchHit[]>,
): Promise<EverythingOutcome> {
  const { text, agent, all, limit } = request
  const find = () => search({ query: queryOf(text), agent, all, limit })
  const outcome = await memory.searchWith(text, find)
  if (outcome.kind === "refused" && outcome.class === "FORBIDDEN") return { kind: "refused", reason: outcome.reason }
  const { here, elsewhere } = outcome.kind === "found" ? outcome : { here: await find(), elsewhere: [] }
  const hits = here.map(({ id, class: memoryClass, title, snippet, source, path, sharedBy }) => {
    const hit = { id, class: memoryClass, title, snippet, source, path }
    return sharedBy === undefined ? hit : { ...hit, sharedBy }
  })
  const others = elsewhere.map(({ id, class: memoryClass, title, snippet, source, provider, path }) => {
    return { id, class: memoryClass, title, snippet, source: source ?? provider, path }
  })
  return { kind: "found", hits: [...hits, ...others].slice(0, limit) }
}
