import { z } from "zod"
import { buildContext } from "../../../recall/build-context.ts"
import { searchLearned } from "../../../recall/search-learned.ts"
import { changes, contextAnswer, contextQuestion, searchAnswer, searchQuestion } from "../../api.ts"
import { tenantRecall } from "../../tenant-memory.ts"
import { reachOf } from "../identity/caller.ts"
import { readChanges } from "../memories/read-changes.ts"
import { fromEpisodes } from "../memories/to-team-memory.ts"
import { reply, route, type TeamRoute } from "../route.ts"
import { rowsOf } from "../team-parts.ts"

const reads = { scope: "read", role: "viewer" } as const
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
