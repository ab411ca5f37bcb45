import { z } from "zod"
import { invitations, invited, member, members, role } from "../../api.ts"
import { wholeOf } from "../identity/caller.ts"
import { invite, listInvitations, withdrawInvitation } from "../identity/invitations.ts"
import { changeMember, listMembers, removeMember } from "../identity/members.ts"
import { reply, route, type TeamRoute } from "../route.ts"
import { rowsOf } from "../team-parts.ts"

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
