import { z } from "zod"
import { memoryKinds, memoryStatuses } from "../../memories/memory.ts"
import { memoriesByIds } from "../../memories/memory-rows.ts"
import { comparable, packVector } from "../../memories/similarity.ts"
import { one } from "../../memories/steps.ts"
import { readHistory } from "../../memories/uses.ts"
import { buildContext } from "../../recall/context/context-builder.ts"
import { searchLearned } from "../../recall/search/learned-search.ts"
import {
  changes,
  contextAnswer,
  contextQuestion,
  episodesAnswer,
  episodesQuestion,
  memoryChange,
  memoryDetail,
  memoryPage,
  memoryRemoval,
  searchAnswer,
  searchQuestion,
  sharedMemory,
  teamMemory,
  usesAnswer,
  usesQuestion,
} from "../api.ts"
import { adminReachOf, isAtLeast, reachOf, wholeOf } from "../identity/caller.ts"
import { changeTeamMemory, removeTeamMemory, type TeamMemoryChange } from "../memories/memory-changes.ts"
import { checkShared, clearShared, shareMemory } from "../memories/sharing.ts"
import { fromEpisodes, listTeamMemories, readChanges, toHistory, toTeamMemory } from "../memories/team-memories.ts"
import { tenantRecall } from "../memories/tenant-store.ts"
import { recordUses, storeEpisodes } from "../memories/uploads.ts"
import { refuse, refuseUnknown } from "../refusal.ts"
import { rowsOf } from "../team-parts.ts"
import { reply, route, type TeamRoute } from "../team-route.ts"

const reads = { scope: "read", role: "viewer" } as const
const writes = { scope: "write", role: "member" } as const

export const memoryRoutes: readonly TeamRoute[] = [
  route({
    method: "GET",
    path: "/v1/memories",
    summary: "List memories, newest first",
    needs: reads,
    query: z.object({
      project: z.string().max(200).optional(),
      status: z.enum(memoryStatuses).optional(),
      kind: z.enum(memoryKinds).optional(),
      limit: z.coerce.number().int().min(1).max(500).default(100),
      after: z.string().max(200).optional(),
    }),
    answers: { 200: memoryPage },
    async handle(parts, { caller, query }) {
      const { project, status, kind, limit, after } = query
      const listing = { project, status, kind, limit, after }
      return reply(await rowsOf(parts, adminReachOf(caller)).read(() => listTeamMemories(listing)))
    },
  }),
  route({
    method: "POST",
    path: "/v1/memories",
    summary: "Share a copy of a memory, attributed to the member; idempotent",
    needs: writes,
    body: sharedMemory,
    answers: { 200: teamMemory, 201: teamMemory },
    async handle(parts, { caller, body }) {
      checkShared(body)
      const words = clearShared(body)
      const vector = packVector(comparable(words.text, parts.memory.embed))
      const now = parts.now().toISOString()
      const { memory, isNew } = await rowsOf(parts, wholeOf(caller.slug)).write(function* () {
        if (body.team !== null) {
          const isMine = caller.member.teams.includes(body.team) || isAtLeast(caller.member.role, "admin")
          if (!isMine || !(yield* one("SELECT 1 FROM teams WHERE team_id = ?", body.team))) refuseUnknown("team")
        }
        return yield* shareMemory({ caller, shared: body, words, vector, now })
      })
      if (isNew) await parts.jobs.send("embed", { slug: caller.slug })
      return reply(memory, isNew ? 201 : 200)
    },
  }),
  route({
    method: "GET",
    path: "/v1/memories/:id",
    summary: "A memory with its evidence, uses and history",
    needs: reads,
    answers: { 200: memoryDetail },
    async handle(parts, { caller, params }) {
      const found = await rowsOf(parts, adminReachOf(caller)).read(function* () {
        const [memory] = yield* memoriesByIds([params.id ?? ""])
        return memory && { memory, history: yield* readHistory(memory.id) }
      })
      if (!found) return refuseUnknown("memory")
      return reply({ memory: toTeamMemory(found.memory), history: toHistory(found.history) })
    },
  }),
  route({
    method: "PATCH",
    path: "/v1/memories/:id",
    summary: "Change a memory, as its contributor or an administrator",
    needs: writes,
    body: memoryChange,
    answers: { 200: teamMemory },
    async handle(parts, { caller, params, body }) {
      const changing = {
        caller,
        id: params.id ?? "",
        version: body.version,
        change: changeOf(body),
        now: parts.now().toISOString(),
        embed: parts.memory.embed,
      }
      return reply(await rowsOf(parts, adminReachOf(caller)).write(() => changeTeamMemory(changing)))
    },
  }),
  route({
    method: "DELETE",
    path: "/v1/memories/:id",
    summary: "End a memory, as its contributor or an administrator; purge deletes it permanently",
    needs: writes,
    body: memoryRemoval,
    answers: { 204: undefined },
    async handle(parts, { caller, params, body }) {
      const { version, reason, purge } = body
      const removing = { caller, id: params.id ?? "", version, reason, purge, now: parts.now().toISOString() }
      await rowsOf(parts, wholeOf(caller.slug)).write(() => removeTeamMemory(removing))
      return reply(null, 204)
    },
  }),
]

/** One change per request, so that each is recorded and can be undone separately. */
function changeOf({ text, pinned, status, tier }: z.infer<typeof memoryChange>): TeamMemoryChange {
  const kinds = [text !== undefined, pinned !== undefined, status !== undefined || tier !== undefined]
  if (kinds.filter(Boolean).length !== 1)
    return refuse(400, "invalid", "Change one thing: text, pinned, or status and tier.")
  if (text !== undefined) return { kind: "text", text }
  if (pinned !== undefined) return { kind: "pinned", pinned }
  return { kind: "standing", ...(status === undefined ? {} : { status }), ...(tier === undefined ? {} : { tier }) }
}

const projectId = z.string().min(1).max(200)

export const recallRoutes: readonly TeamRoute[] = [
  route({
    method: "GET",
    path: "/v1/changes",
    summary: "Changes since a position, for clients that keep copies",
    needs: reads,
    query: z.object({
      since: z.coerce.number().int().min(0).default(0),
      project: z.union([z.array(projectId).max(500), projectId.transform((one) => [one])]).default([]),
      limit: z.coerce.number().int().min(1).max(1000).default(500),
    }),
    answers: { 200: changes },
    async handle(parts, { caller, query }) {
      const { since, project: projects, limit } = query
      return reply(await rowsOf(parts, reachOf(caller)).read(() => readChanges({ since, projects, limit })))
    },
  }),
  route({
    method: "POST",
    path: "/v1/search",
    summary: "Find memories by words and meaning, best first",
    needs: reads,
    body: searchQuestion,
    answers: { 200: searchAnswer },
    async handle({ driver, memory: parts }, { caller, body }) {
      const hits = await driver.within(reachOf(caller), "read", async (ask) => {
        const recall = tenantRecall(ask, body.project ?? undefined, parts)
        const found = await searchLearned(recall, { text: body.q, limit: body.limit })
        return found.map(({ id, kind, text, score }) => ({
          id,
          kind,
          snippet: text,
          score,
          project: recall.loaded.get(id)?.project ?? null,
          contributedBy: recall.loaded.get(id)?.contributedBy ?? fromEpisodes,
        }))
      })
      return reply({ hits })
    },
  }),
  route({
    method: "POST",
    path: "/v1/context",
    summary: "Build the context for a task within a token budget, with the reason for every item",
    needs: reads,
    body: contextQuestion,
    answers: { 200: contextAnswer },
    async handle(parts, { caller, body }) {
      const { task, agent, paths, budget } = body
      const reach = reachOf(caller)
      const { built, loaded } = await parts.driver.within(reach, "read", async (ask) => {
        const recall = tenantRecall(ask, body.project ?? "", parts.memory) // without a project what holds in all of them
        const built = await buildContext(recall, { task, agent, paths, budget })
        return { built, loaded: recall.loaded }
      })
      const { context, record, learned } = built
      if (learned.length > 0 && body.project !== null)
        parts.notes.add(reach, {
          task: record.taskId,
          project: body.project,
          session: undefined,
          agent: record.agent,
          taskHash: record.taskHash,
          ts: record.at,
          memories: learned,
        })
      return reply({
        text: context.text,
        tokens: context.tokens,
        budget: context.budget,
        taskId: context.taskId,
        included: context.included.map((each) => ({
          ...each,
          contributedBy: loaded.get(each.id)?.contributedBy ?? fromEpisodes,
        })),
        left: context.left,
      })
    },
  }),
]

const limits = { bytes: 8 * 1024 * 1024 }

export const useRoutes: readonly TeamRoute[] = [
  route({
    method: "POST",
    path: "/v1/uses",
    summary: "Record usage events; idempotent by key",
    needs: writes,
    body: usesQuestion,
    answers: { 200: usesAnswer },
    limits,
    async handle(parts, { caller, body }) {
      const now = parts.now().toISOString()
      const { projects, ...counts } = await rowsOf(parts, reachOf(caller)).write(() =>
        recordUses(caller, body.events, now),
      )
      for (const project of projects) await parts.jobs.send("evaluate", { slug: caller.slug, project })
      return reply(counts)
    },
  }),
  route({
    method: "POST",
    path: "/v1/episodes",
    summary: "Upload episodes of projects that have enabled them",
    needs: writes,
    body: episodesQuestion,
    answers: { 200: episodesAnswer },
    limits,
    async handle(parts, { caller, body }) {
      const { projects, ...counts } = await rowsOf(parts, reachOf(caller)).write(() =>
        storeEpisodes(caller, body.episodes),
      )
      for (const project of projects) await parts.jobs.send("learn", { slug: caller.slug, project })
      return reply(counts)
    },
  }),
]
