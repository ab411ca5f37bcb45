import type { Memories } from "../drey/memories.ts"
import type { MemoryKind, MemoryStatus, MemoryTier } from "../memories/memory.ts"
import type { GivenMemory } from "../recall/context/handout.ts"
import type { LearnedHit } from "../recall/search/learned-search.ts"
import type { OpenProject, Projects } from "./project-pool.ts"
import {
  type Methods,
  oneOf,
  optionalCount,
  optionalFlag,
  optionalOneOf,
  optionalRecord,
  optionalText,
  type Params,
  RpcError,
  recordsOf,
  rpcCodes,
  textOf,
} from "./protocol.ts"

const defaultResults = 10
const mostResults = 1000
/** A search may only forget as many memories as a user can check. */
const mostForgotten = 10

/** Learned memories: search, forget, evaluate. */
export function memoryMethods(projects: Projects, own: Memories): Methods {
  return {
    async search_memories(params) {
      const { drey } = await requireProject(projects, textOf(params, "project_id"))
      const filters = optionalRecord(params, "filters") ?? {}
      const found = await drey.search.learned({
        text: queryOf(params),
        limit: optionalCount(params, "top_k", 1, mostResults) ?? defaultResults,
        kind: optionalOneOf(filters, "kind", kinds),
        tier: optionalOneOf(filters, "tier", tiers),
        status: optionalOneOf(filters, "status", statuses),
        key: optionalText(filters, "key"),
      })
      return { results: found.map((hit) => ({ ...hit, key: hit.key ?? null })) }
    },

    async forget_memory(params) {
      const id = optionalText(params, "id")
      const found = id === undefined ? await idsByQuery(projects, params) : [await idByName(own, id)]
      const isConfirmed = optionalFlag(params, "confirm") ?? false
      if (id === undefined && !isConfirmed) {
        const sentence = `${found.length} found; nothing was forgotten: set "confirm" to true`
        throw new RpcError(rpcCodes.notConfirmed, sentence, { ids: found })
      }
      const { forgotten } = await own.forget(found, { purge: optionalFlag(params, "purge") ?? false })
      return { forgotten: forgotten.length, ids: forgotten }
    },

    async evaluate_memories(params) {
      const id = optionalText(params, "project_id")
      const now = momentOf(params)
      const dryRun = optionalFlag(params, "dry_run") ?? false
      const chosen = id === undefined ? await projects.all() : [await requireProject(projects, id)]
      const decisions = []
      const failed: { project_id: string; message: string }[] = []
      let judged = 0
      for (const { learning } of chosen) {
        const live = { project: (await learning.project()).id, statuses: ["provisional", "active"] as const }
        judged += (await learning.list(live)).length
        try {
          decisions.push(...(await evaluate(learning, { dryRun, ...(now === undefined ? {} : { now }) })))
        } catch (error) {
          if (!(error instanceof RpcError) || chosen.length === 1) throw error
          failed.push({ project_id: (await learning.project()).id, message: error.message }) // the others are judged all the same
        }
      }
      if (judged === 0) throw new RpcError(rpcCodes.nothingToEvaluate, "there is no memory to evaluate")
      return { decisions, ...(failed.length > 0 ? { failed } : {}) }
    },

    async embed_text(params) {
      const text = textOf(params, "text")
      if (text.trim() === "") throw new RpcError(rpcCodes.emptyText, "the text is empty")
      const embedding = await own.writer.embed(text)
      if (!embedding) throw new RpcError(rpcCodes.embeddingFailed, "the vector table is missing")
      return { embedding: [...embedding] }
    },
  }
}

async function requireProject(projects: Projects, id: string): Promise<OpenProject> {
  const project = await projects.byId(id)
  if (project) return project
  throw new RpcError(rpcCodes.notInitialised, "No project has this id", {
    hint: 'Set the project up with "drey init".',
  })
}

function queryOf(params: Params): string {
  const query = textOf(params, "query")
  if (query.trim() === "") throw new RpcError(rpcCodes.emptyQuery, "the query is empty")
  return query
}

async function idByName(learning: Memories, name: string): Promise<string> {
  const [memory, ...others] = await learning.find(name)
  if (memory && others.length === 0) return memory.id
  const sentence = memory ? "this matches several ids" : "no memory has this id"
  throw new RpcError(rpcCodes.noSuchMemory, sentence)
}

async function idsByQuery(projects: Projects, params: Params): Promise<string[]> {
  const text = queryOf(params)
  const id = optionalText(params, "project_id")
  const found = new Map<string, LearnedHit>()
  for (const { drey } of id === undefined ? await projects.all() : [await requireProject(projects, id)]) {
    for (const hit of await drey.search.learned({ text, limit: mostForgotten })) found.set(hit.id, hit)
  }
  if (found.size === 0) throw new RpcError(rpcCodes.noSuchMemory, "no memory matches")
  const best = [...found.values()].sort((one, other) => other.score - one.score)
  return best.slice(0, mostForgotten).map((hit) => hit.id)
}

async function evaluate(learning: Memories, options: { dryRun: boolean; now?: string }) {
  try {
    const { decisions } = await learning.evaluate(options)
    return decisions.map(({ memory, result, status, tier, expires, reason }) => ({
      memory_id: memory,
      result,
      new_status: status,
      new_tier: tier,
      new_expires_at: expires ?? null,
      reason,
    }))
  } catch (error) {
    throw new RpcError(rpcCodes.evaluationFailed, error instanceof Error ? error.message : String(error))
  }
}

function momentOf(params: Params): string | undefined {
  const text = optionalText(params, "now")
  if (text === undefined) return undefined
  const moment = Date.parse(text)
  if (Number.isNaN(moment)) throw new RpcError(rpcCodes.badParams, "now must be a time such as 2026-02-15T14:32:15Z")
  return new Date(moment).toISOString()
}

const kinds = wordsOf<MemoryKind>({ preference: 1, invariant: 1, pattern: 1, guard: 1, note: 1 })
const tiers = wordsOf<MemoryTier>({ short_term: 1, long_term: 1, emergency: 1 })
const statuses = wordsOf<MemoryStatus>({ provisional: 1, active: 1, deprecated: 1 })

/** The types are known here, not the lists they are derived from; a record over them is complete. */
function wordsOf<Word extends string>(words: Record<Word, 1>): Word[] {
  return Object.keys(words) as Word[]
}

const mostMemories = 200

/** Parses memories in a request. */
export function memoriesOf(params: Params, name: string): GivenMemory[] {
  const given = recordsOf(params, name)
  if (given.length <= mostMemories) return given.map(memoryOf)
  throw new RpcError(rpcCodes.badParams, `${name} has more than ${mostMemories} memories`)
}

function memoryOf(given: Params): GivenMemory {
  const id = textOf(given, "id")
  // It appears in an unquoted line of a context, so it must not be able to contain text.
  if (!/^[\w:.-]{1,64}$/.test(id))
    throw new RpcError(rpcCodes.badParams, "the id of a memory must be a short name without spaces")
  return {
    id,
    kind: oneOf(given, "kind", kinds),
    tier: optionalOneOf(given, "tier", tiers) ?? "short_term",
    key: optionalText(given, "key"),
    text: textOf(given, "text"),
  }
}
