import { z } from "zod"
import { team, teams } from "../../api.ts"
import { type Caller, wholeOf } from "../identity/caller.ts"
import { addTeam, joinTeam, leaveTeam, listTeams, type Membership, removeTeam } from "../identity/teams.ts"
import { reply, route, type TeamRoute } from "../route.ts"
import { rowsOf, type TeamParts } from "../team-parts.ts"

const administers = { scope: "admin", role: "admin" } as const

export const teamRoutes: readonly TeamRoute[] = [
  route({
    method: "GET",
    path: "/v1/teams",
    summary: "List teams",
    needs: { scope: "read", role: "viewer" },
    answers: { 200: teams },
    async handle(parts, { caller }) {
      return reply({ teams: await rowsOf(parts, wholeOf(caller.slug)).read(listTeams) })
    },
  }),
  route({
    method: "POST",
    path: "/v1/teams",
    summary: "Create a team",
    needs: administers,
    body: z.object({ name: z.string().trim().min(1).max(100) }),
    answers: { 201: team },
    async handle(parts, { caller, body }) {
      const now = parts.now().toISOString()
      return reply(await rowsOf(parts, wholeOf(caller.slug)).write(() => addTeam(caller, body.name, now)), 201)
    },
  }),
  route({
    method: "DELETE",
    path: "/v1/teams/:id",
    summary: "Delete a team; its memories end",
    needs: administers,
    answers: { 204: undefined },
    limits: { ms: 300_000 },
    handle: (parts, { caller, params }) =>
      changeTeams(parts, caller, (now) => removeTeam(caller, params.id ?? "", now)),
  }),
  route({
    method: "PUT",
    path: "/v1/teams/:id/members/:member",
    summary: "Add a member to a team",
    needs: administers,
    answers: { 204: undefined },
    handle: (parts, { caller, params }) =>
      changeTeams(parts, caller, (now) => joinTeam(caller, membershipOf(params), now)),
  }),
  route({
    method: "DELETE",
    path: "/v1/teams/:id/members/:member",
    summary: "Remove a member from a team",
    needs: administers,
    answers: { 204: undefined },
    handle: (parts, { caller, params }) =>
      changeTeams(parts, caller, (now) => leaveTeam(caller, membershipOf(params), now)),
  }),
]

function membershipOf({ id = "", member = "" }: Record<string, string>): Membership {
  return { team: id, member }
}

async function changeTeams(parts: TeamParts, caller: Caller, change: (now: string) => ReturnType<typeof joinTeam>) {
  await rowsOf(parts, wholeOf(caller.slug)).write(() => change(parts.now().toISOString()))
  parts.passes.forget(caller.slug)
  return reply(null, 204)
}
