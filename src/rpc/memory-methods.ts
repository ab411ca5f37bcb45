import type { Memories } from "../drey/memories.ts"
import type { LearnedHit } from "../recall/search/learned-search.ts"
import { count, fields, flag, kind, parseParams, status, text, tier } from "./params.ts"
import type { OpenProject, Projects } from "./project-pool.ts"
import { type Methods, RpcError, rpcCodes } from "./protocol.ts"

const defaultResults = 10
const mostResults = 1000
/** A search may only forget as many memories as a user can check. */
const mostForgotten = 10

const searchParams = fields({
  project_id: text,
  query: text,
  top_k: count(1, mostResults).default(defaultResults),
  filters: fields({
    kind: kind.optional(),
    tier: tier.optional(),
    status: status.optional(),
    key: text.optional(),
  }).default({}),
})

const forgetParams = fields({
  id: text.optional(),
  query: text.optional(),
  project_id: text.optional(),
  confirm: flag.default(false),
  purge: flag.default(false),
})

const evaluateParams = fields({
  project_id: text.optional(),
  now: text
    .refine((moment) => !Number.isNaN(Date.parse(moment)), "a time such as 2026-02-15T14:32:15Z")
    .transform((moment) => new Date(moment).toISOString())
    .optional(),
  dry_run: flag.default(false),
})

/** Learned memories: search, forget, evaluate. */
export function memoryMethods(projects: Projects, own: Memories): Methods {
  return {
    async search_memories(params) {
      const { project_id, query, top_k: limit, filters } = parseParams(searchParams, params)
      const { drey } = await requireProject(projects, project_id)
      const found = await drey.search.learned({ text: requireQuery(query), limit, ...filters })
      return { results: found.map((hit) => ({ ...hit, key: hit.key ?? null })) }
    },

    async forget_memory(params) {
      const { id, query, project_id, confirm, purge } = parseParams(forgetParams, params)
      const found = id === undefined ? await idsByQuery(projects, query, project_id) : [await idByName(own, id)]
      if (id === undefined && !confirm) {
        const sentence = `${found.length} found; nothing was forgotten: set "confirm" to true`
        throw new RpcError(rpcCodes.notConfirmed, sentence, { ids: found })
      }
      const { forgotten } = await own.forget(found, { purge })
      return { forgotten: forgotten.length, ids: forgotten }
    },

    async evaluate_memories(params) {
      const { project_id: id, now, dry_run: dryRun } = parseParams(evaluateParams, params)
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
      const { text: given } = parseParams(fields({ text }), params)
      if (given.trim() === "") throw new RpcError(rpcCodes.emptyText, "the text is empty")
      const embedding = await own.writer.embed(given)
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

function requireQuery(query: string | undefined): string {
  if (query === undefined) throw new RpcError(rpcCodes.badParams, "query is missing: a text")
  if (query.trim() === "") throw new RpcError(rpcCodes.emptyQuery, "the query is empty")
  return query
}

async function idByName(learning: Memories, name: string): Promise<string> {
  const [memory, ...others] = await learning.find(name)
  if (memory && others.length === 0) return memory.id
  const sentence = memory ? "this matches several ids" : "no memory has this id"
  throw new RpcError(rpcCodes.noSuchMemory, sentence)
}

async function idsByQuery(projects: Projects, query: string | undefined, id: string | undefined): Promise<string[]> {
  const text = requireQuery(query)
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
