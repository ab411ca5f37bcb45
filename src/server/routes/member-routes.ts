import { z } from "zod"
import { invitations, invited, member, members, role, scope, team, teams, tokenMade, tokens } from "../api.ts"
import { type TeamCaller, wholeOf } from "../identity/caller.ts"
import { invite, listInvitations, withdrawInvitation } from "../identity/invitations.ts"
import { changeMember, listMembers, removeMember } from "../identity/members.ts"
import { addTeam, joinTeam, leaveTeam, listTeams, type Membership, removeTeam } from "../identity/teams.ts"
import { listTokens, makeToken, revokeToken } from "../identity/tokens.ts"
import { rowsOf, type TeamParts } from "../team-parts.ts"
import { reply, route, type TeamRoute } from "../team-route.ts"

const administers = { scope: "admin", role: "admin" } as const

export const memberRoutes: readonly TeamRoute[] = [
  route({
    method: "GET",
    path: "/v1/members",
    summary: "List members",
    needs: { scope: "read", role: "viewer" },
    answers: { 200: members },
    async handle(parts, { caller }) {
      return reply({ members: await rowsOf(parts, wholeOf(caller.slug)).read(listMembers) })
    },
  }),
  route({
    method: "PATCH",
    path: "/v1/members/:id",
    summary: "Change a member's role or name",
    needs: administers,
    body: z.object({ role: role.optional(), name: z.string().trim().min(1).max(100).optional() }),
    answers: { 200: member },
    async handle(parts, { caller, params, body }) {
      const now = parts.now().toISOString()
      const changed = await rowsOf(parts, wholeOf(caller.slug)).write(() =>
        changeMember(caller, params.id ?? "", body, now),
      )
      parts.passes.forget(caller.slug)
      return reply(changed)
    },
  }),
  route({
    method: "DELETE",
    path: "/v1/members/:id",
    summary: "Remove a member, including tokens and sessions",
    needs: administers,
    answers: { 204: undefined },
    async handle(parts, { caller, params }) {
      const now = parts.now().toISOString()
      await rowsOf(parts, wholeOf(caller.slug)).write(() => removeMember(caller, params.id ?? "", now))
      parts.passes.forget(caller.slug)
      return reply(null, 204)
    },
  }),
  route({
    method: "GET",
    path: "/v1/invitations",
    summary: "List open invitations",
    needs: administers,
    answers: { 200: invitations },
    async handle(parts, { caller }) {
      return reply({ invitations: await rowsOf(parts, wholeOf(caller.slug)).read(listInvitations) })
    },
  }),
  route({
    method: "POST",
    path: "/v1/invitations",
    summary: "Create an invitation; its link is returned only here",
    needs: administers,
    body: z.object({ email: z.email().max(320), role, teams: z.array(z.string().max(200)).max(50).default([]) }),
    answers: { 201: invited },
    async handle(parts, { caller, body }) {
      const { invitation, secret } = await rowsOf(parts, wholeOf(caller.slug)).write(() =>
        invite(caller, body, parts.now()),
      )
      return reply({ invitation, link: `${parts.publicUrl}/join#${secret}` }, 201)
    },
  }),
  route({
    method: "DELETE",
    path: "/v1/invitations/:id",
    summary: "Withdraw an invitation",
    needs: administers,
    answers: { 204: undefined },
    async handle(parts, { caller, params }) {
      const now = parts.now().toISOString()
      await rowsOf(parts, wholeOf(caller.slug)).write(() => withdrawInvitation(caller, params.id ?? "", now))
      return reply(null, 204)
    },
  }),
]

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

async function changeTeams(parts: TeamParts, caller: TeamCaller, change: (now: string) => ReturnType<typeof joinTeam>) {
  await rowsOf(parts, wholeOf(caller.slug)).write(() => change(parts.now().toISOString()))
  parts.passes.forget(caller.slug)
  return reply(null, 204)
}

const anybody = { scope: "read", role: "viewer" } as const

export const tokenRoutes: readonly TeamRoute[] = [
  route({
    method: "GET",
    path: "/v1/tokens",
    summary: "List personal access tokens: your own, or all for administrators",
    needs: anybody,
    answers: { 200: tokens },
    async handle(parts, { caller }) {
      return reply({ tokens: await rowsOf(parts, wholeOf(caller.slug)).read(() => listTokens(caller)) })
    },
  }),
  route({
    method: "POST",
    path: "/v1/tokens",
    summary: "Create a personal access token; its secret is returned only here",
    needs: anybody,
    body: z.object({
      name: z.string().trim().min(1).max(100),
      scopes: z.array(scope).min(1).max(3).default(["read"]),
      days: z.number().int().min(1).max(366).default(90),
    }),
    answers: { 201: tokenMade },
    async handle(parts, { caller, body }) {
      const made = await rowsOf(parts, wholeOf(caller.slug)).write(() => makeToken(caller, body, parts.now()))
      return reply(made, 201)
    },
  }),
  route({
    method: "DELETE",
    path: "/v1/tokens/:id",
    summary: "Revoke a token",
    needs: anybody,
    answers: { 204: undefined },
    async handle(parts, { caller, params }) {
      const now = parts.now().toISOString()
      await rowsOf(parts, wholeOf(caller.slug)).write(() => revokeToken(caller, params.id ?? "", now))
      parts.passes.forget(caller.slug)
      return reply(null, 204)
    },
  }),
]
