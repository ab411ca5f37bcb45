import { z } from "zod"
import { parseQuery, queryKeys } from "../../../formats/query.ts"
import { showContext } from "../../../recall/browse/show-context.ts"
import { buildContext } from "../../../recall/build-context.ts"
import type { About, ContextAnswer, Items, Overview, Timeline } from "../../../web/api.ts"
import { tenantRecall } from "../../tenant-memory.ts"
import { secretOf } from "../admit.ts"
import { describeMemory } from "../app/describe-memory.ts"
import { findMemories } from "../app/find-memories.ts"
import { lookAround, type MemoryLook } from "../app/look.ts"
import { readTimeline } from "../app/read-timeline.ts"
import { takeTeamStock } from "../app/take-team-stock.ts"
import { reachOf } from "../identity/caller.ts"
import { refuseUnknown } from "../refusal.ts"
import { reply, route, type TeamRoute } from "../route.ts"

const reads = { scope: "read", role: "viewer" } as const
const query = z.string().max(2000).default("")
const place = z.coerce.number().int().min(0)

/** The app's pages that a team server supports. */
const places = ["/", "/explorer", "/context", "/timeline", "/admin"]

const noFacets = { type: [], author: [], scope: [], tag: [], status: [], source: [] }

/** What the browser app asks, in the form of `src/web/api.ts`; its answers are for the app of the same version alone. */
export const appRoutes: readonly TeamRoute[] = [
  route({
    method: "GET",
    path: "/api/about",
    summary: "Settings for the browser app",
    needs: reads,
    answers: { 200: z.looseObject({}) },
    handle: async ({ version }, { caller: { organisation, slug, member } }) =>
      reply<About>({
        version,
        root: "",
        project: organisation,
        agents: [],
        queryKeys: [...queryKeys],
        user: member.name,
        places,
        team: { organisation, slug, member: member.name, role: member.role },
      }),
  }),
  route({
    method: "GET",
    path: "/api/overview",
    summary: "Overview of the team's memory",
    needs: reads,
    answers: { 200: z.looseObject({}) },
    handle: async ({ figures }, { caller }) =>
      reply<Overview>(await figures.of(caller, "overview", (look) => takeTeamStock(look, caller.organisation))),
  }),
  route({
    method: "GET",
    path: "/api/items",
    summary: "A page of search results",
    needs: reads,
    query: z.object({ q: query, limit: place.max(500).default(50), offset: place.max(1_000_000).default(0) }),
    answers: { 200: z.looseObject({}) },
    async handle(parts, { caller, query: { q, limit, offset } }) {
      const parsed = parseQuery(q)
      if (parsed.kind === "invalid")
        return reply<Items>({ rows: [], total: 0, facets: noFacets, problems: parsed.problems })
      const find = (look: MemoryLook) => findMemories(look, parsed.query, { limit, offset })
      // without rows, the facets of all results are wanted
      const page =
        limit === 0 ? await parts.figures.of(caller, `facets ${q}`, find) : await lookAround(parts, caller, find)
      return reply<Items>({ ...page, problems: [] })
    },
  }),
  route({
    method: "GET",
    path: "/api/timeline",
    summary: "Search results over time",
    needs: reads,
    query: z.object({ q: query }),
    answers: { 200: z.looseObject({}) },
    async handle(parts, { caller, query: { q } }) {
      const parsed = parseQuery(q)
      if (parsed.kind === "invalid") return reply<Timeline>({ types: [], at: [], type: [], ids: [], weeks: [] })
      return reply<Timeline>(await lookAround(parts, caller, (look) => readTimeline(look, parsed.query)))
    },
  }),
  route({
    method: "GET",
    path: "/api/items/:id",
    summary: "A memory with its history",
    needs: reads,
    answers: { 200: z.looseObject({}) },
    async handle(parts, { caller, params }) {
      const detail = await lookAround(parts, caller, (look) => describeMemory(look, caller, params.id ?? ""))
      return reply(detail ?? refuseUnknown("memory"))
    },
  }),
  route({
    method: "POST",
    path: "/api/context",
    summary: "Preview a context; not recorded as use",
    needs: reads,
    body: z.object({
      agent: z.string().max(200).optional(),
      task: z.string().max(20_000),
      budget: z.number().int().min(0).max(200_000).optional(),
      paths: z.array(z.string().max(1000)).max(100).optional(),
      project: z.string().max(200).optional(),
    }),
    answers: { 200: z.looseObject({}) },
    async handle({ driver, memory }, { caller, body: { project, ...asked } }) {
      const { context } = await driver.within(reachOf(caller), "read", (ask) =>
        buildContext(tenantRecall(ask, project, memory), { ...asked, isLook: true }),
      )
      return reply<ContextAnswer>(showContext(context))
    },
  }),
  route({
    method: "GET",
    path: "/api/events",
    summary: "A stream of change events",
    needs: reads,
    answers: { 200: undefined },
    form: 'Server-sent events, each {"kind": "changed", "version"}',
    async handle({ live, passes, publicUrl }, { caller, request }) {
      const { secret = "" } = secretOf(request, publicUrl)
      return live.listen(caller, async () => (await passes.callerOf(secret)).kind === "known")
    },
  }),
]
