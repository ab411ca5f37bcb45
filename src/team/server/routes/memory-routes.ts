import { z } from "zod"
import { memoryKinds, memoryStatuses } from "../../../store/memory.ts"
import { memoriesByIds } from "../../../store/memory-rows.ts"
import { readHistory } from "../../../store/read-history.ts"
import { comparable, packVector } from "../../../store/similarity.ts"
import { one } from "../../../store/steps.ts"
import { memoryChange, memoryDetail, memoryPage, memoryRemoval, sharedMemory, teamMemory } from "../../api.ts"
import { isAtLeast, wholeOf, wideReachOf } from "../identity/caller.ts"
import { changeTeamMemory, removeTeamMemory, type TeamMemoryChange } from "../memories/change-memory.ts"
import { checkShared, clearShared } from "../memories/clear-shared.ts"
import { listTeamMemories } from "../memories/list-memories.ts"
import { shareMemory } from "../memories/share-memory.ts"
import { toHistory } from "../memories/to-history.ts"
import { toTeamMemory } from "../memories/to-team-memory.ts"
import { refuse, refuseUnknown } from "../refusal.ts"
import { reply, route, type TeamRoute } from "../route.ts"
import { rowsOf } from "../team-parts.ts"

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
      return reply(await rowsOf(parts, wideReachOf(caller)).read(() => listTeamMemories(listing)))
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
      const found = await rowsOf(parts, wideReachOf(caller)).read(function* () {
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
      return reply(await rowsOf(parts, wideReachOf(caller)).write(() => changeTeamMemory(changing)))
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
