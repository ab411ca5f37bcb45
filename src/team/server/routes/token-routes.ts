import { z } from "zod"
import { scope, tokenMade, tokens } from "../../api.ts"
import { wholeOf } from "../identity/caller.ts"
import { listTokens, makeToken, revokeToken } from "../identity/tokens.ts"
import { reply, route, type TeamRoute } from "../route.ts"
import { rowsOf } from "../team-parts.ts"

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
