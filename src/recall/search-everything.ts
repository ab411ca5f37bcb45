import { parseQuery, type Query } from "../formats/query.ts"
import type { MemoryClass } from "../governance/classify.ts"
import { clearText } from "../governance/cleared.ts"
import type { GovernedMemory } from "../squad/memory/governed-memory.ts"
import { classOfType } from "../squad/memory/load-index.ts"
import type { SearchHit, SearchRequest } from "./search.ts"

export type EverythingRequest = {
  /** Words, and the filters of the query language. */
  text: string
  /** Only what this agent remembers. */
  agent?: string | undefined
  /** Archived and superseded items too. */
  all?: boolean | undefined
  limit: number
}

/** One thing found, under the class that governs it. */
export type EverythingHit = {
  id: string
  class: MemoryClass
  title: string
  snippet: string
  source: string
  path: string
  /** Who shared a memory of the team's. */
  sharedBy?: string
}

export type EverythingOutcome = { kind: "found"; hits: EverythingHit[] } | { kind: "refused"; reason: string }

/**
 * What governed memory finds by words, audited, and what the index finds by words and meaning, in one list. A query that holds a secret
 * goes to neither.
 */
export async function searchEverything(
  request: EverythingRequest,
  memory: Pick<GovernedMemory, "search">,
  search: (request: SearchRequest) => Promise<readonly SearchHit[]>,
): Promise<EverythingOutcome> {
  const { text, agent, all, limit } = request
  const governed = await memory.search(text, { agent, all }) // audits a refusal too
  const clearing = clearText(text, "allow")
  if (clearing.kind === "refused")
    return { kind: "refused", reason: `Rejected as forbidden memory: ${clearing.reason}` }
  const found = await search({ query: toQuery(text), agent, all, limit })
  const byId = new Map(governed.map((each) => [each.id, each]))
  const hits = found.map(({ id, type, title, snippet, source, path, sharedBy }) => {
    const hit = { id, class: byId.get(id)?.class ?? classOf(type), title, snippet, source, path }
    return sharedBy === undefined ? hit : { ...hit, sharedBy }
  })
  const isFound = new Set(hits.map(({ id }) => id))
  const others = governed
    .filter(({ id }) => !isFound.has(id))
    .map(({ id, class: memoryClass, title, snippet, source, provider, path }) => {
      return { id, class: memoryClass, title, snippet, source: source ?? provider, path }
    })
  return { kind: "found", hits: [...hits, ...others].slice(0, limit) }
}

function classOf(type: string): MemoryClass {
  return type in classOfType ? classOfType[type as keyof typeof classOfType] : "LOCAL"
}

/** What is no query (`http://…`, a stray quote) is searched for as it stands. */
function toQuery(text: string): Query {
  const parsed = parseQuery(text)
  if (parsed.kind === "query") return parsed.query
  const words = text.split(/\s+/).filter(Boolean)
  return { filters: [], terms: words.map((word) => ({ text: word, negated: false })) }
}
