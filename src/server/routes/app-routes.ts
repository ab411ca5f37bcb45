import { z } from "zod"
import { parseQuery, queryKeys } from "../../formats/query.ts"
import type { About, Changed, ContextAnswer, Items, Overview, TimelineAnswer } from "../../recall/browse/app-api.ts"
import { showContext } from "../../recall/browse/item-detail.ts"
import { buildContext } from "../../recall/context/context-builder.ts"
import { describeMemory } from "../app/memory-detail.ts"
import { changeItem, forgetItem, memoryWords, undoChange } from "../app/memory-edits.ts"
import { findMemories, readTimeline } from "../app/memory-list.ts"
import { type MemorySnapshot, withSnapshot } from "../app/snapshot.ts"
import { readTeamOverview } from "../app/team-overview.ts"
import { secretOf } from "../authentication.ts"
import { reachOf } from "../identity/caller.ts"
import { tenantRecall } from "../memories/tenant-store.ts"
import { refuseUnknown } from "../refusal.ts"
import { reply, route, type TeamRoute } from "../team-route.ts"

const writes = { scope: "write", role: "member" } as const
const answers = { 200: z.looseObject({}) }
const version = z.string().regex(/^\d{1,9}$/)
const markdown = z.string().max(20_000)
const reason = z.string().max(2000).optional()

/** The changes that the pages of the browser app make. */
export const appChangeRoutes: readonly TeamRoute[] = [
  route({
    method: "POST",
    path: "/api/items/:id/edit",
    summary: "Edit a memory",
    needs: writes,
    body: z.object({ version, title: markdown.optional(), markdown: markdown.optional() }),
    answers,
    async handle(parts, { caller, params: { id = "" }, body }) {
      const text = memoryWords(body.markdown ?? body.title ?? "")
      const item = { caller, id, version: body.version }
      return reply<Changed>(await changeItem(parts, item, { kind: "text", text }, `Edited: ${text}`))
    },
  }),
  route({
    method: "POST",
    path: "/api/items/:id/supersede",
    summary: "Replace a memory",
    needs: writes,
    body: z.object({ version, title: markdown, markdown, reason }),
    answers,
    async handle(parts, { caller, params: { id = "" }, body }) {
      const text = memoryWords(body.markdown.trim() === "" ? body.title : body.markdown)
      const change = { kind: "replaced" as const, text, reason: body.reason ?? "a person stated it" }
      const item = { caller, id, version: body.version }
      return reply<Changed>(await changeItem(parts, item, change, `Replaced by: ${text}`))
    },
  }),
  route({
    method: "POST",
    path: "/api/items/:id/pin",
    summary: "Pin a memory, so that it never ends by itself, or unpin it",
    needs: writes,
    body: z.object({ version, pinned: z.boolean() }),
    answers,
    async handle(parts, { caller, params: { id = "" }, body: { version, pinned } }) {
      const summary = pinned ? "Pinned" : "Unpinned"
      return reply<Changed>(await changeItem(parts, { caller, id, version }, { kind: "pinned", pinned }, summary))
    },
  }),
  route({
    method: "POST",
    path: "/api/items/:id/forget",
    summary: "End a memory",
    needs: writes,
    body: z.object({ version, reason }),
    answers,
    handle: async (parts, { caller, params: { id = "" }, body: { version, reason } }) =>
      reply<Changed>(await forgetItem(parts, { caller, id, version }, reason)),
  }),
  route({
    method: "GET",
    path: "/api/undo",
    summary: "The change that can be undone; none, because the last change may be another member's",
    needs: { scope: "read", role: "viewer" },
    answers,
    handle: async () => Response.json(null),
  }),
  route({
    method: "POST",
    path: "/api/undo",
    summary: "Undo a change",
    needs: writes,
    body: z.object({ key: z.string().min(1).max(100) }),
    answers,
    handle: async (parts, { caller, body }) => reply<Changed>(await undoChange(parts, caller, body.key)),
  }),
]

const reads = { scope: "read", role: "viewer" } as const
const query = z.string().max(2000).default("")
const place = z.coerce.number().int().min(0)

/** The app's pages that a team server supports. */
const places = ["/", "/explorer", "/context", "/timeline", "/admin"]

const noFacets = { type: [], author: [], scope: [], tag: [], status: [], source: [] }

/**
 * The requests of the browser app, in the form of `src/recall/browse/app-api.ts`; the responses are only for the app of the same version.
 */
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
      reply<Overview>(await figures.of(caller, "overview", (look) => readTeamOverview(look, caller.organisation))),
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
      const find = (look: MemorySnapshot) => findMemories(look, parsed.query, { limit, offset })
      // without rows, the facets of all results are wanted
      const page =
        limit === 0 ? await parts.figures.of(caller, `facets ${q}`, find) : await withSnapshot(parts, caller, find)
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
      if (parsed.kind === "invalid") return reply<TimelineAnswer>({ types: [], at: [], type: [], ids: [], weeks: [] })
      return reply<TimelineAnswer>(await withSnapshot(parts, caller, (look) => readTimeline(look, parsed.query)))
    },
  }),
  route({
    method: "GET",
    path: "/api/items/:id",
    summary: "A memory with its history",
    needs: reads,
    answers: { 200: z.looseObject({}) },
    async handle(parts, { caller, params }) {
      const detail = await withSnapshot(parts, caller, (look) => describeMemory(look, caller, params.id ?? ""))
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
