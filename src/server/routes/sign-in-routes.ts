import { z } from "zod"
import { linkPreview, me, signInMethods, slug } from "../api.ts"
import { describeMe, scopesOf, wholeOf } from "../identity/caller.ts"
import { readSecret } from "../identity/credentials.ts"
import { acceptLink, previewLink, refuseLink } from "../identity/invitations.ts"
import { memberById } from "../identity/members.ts"
import { signIn, signOut } from "../identity/tokens.ts"
import { refuse } from "../refusal.ts"
import { rowsOf } from "../team-parts.ts"
import { reply, route, type TeamRoute } from "../team-route.ts"

const secret = z.string().min(1).max(500)

/** Sign-in with a one-time link, a token or an identity provider. */
export const signInRoutes: readonly TeamRoute[] = [
  route({
    method: "GET",
    path: "/v1/sign-in/methods",
    summary: "List sign-in methods",
    needs: "nobody",
    query: z.object({ org: slug.optional() }),
    answers: { 200: signInMethods },
    handle: async ({ oidc }) => reply({ token: true as const, oidc: oidc ? { name: oidc.name } : null }),
  }),
  route({
    method: "POST",
    path: "/v1/sign-in/link/look",
    summary: "Preview a one-time link without using it",
    needs: "nobody",
    body: z.object({ token: secret }),
    answers: { 200: linkPreview },
    limits: { isSignIn: true },
    async handle(parts, { body }) {
      const link = readSecret(body.token) ?? refuseLink()
      return reply(await rowsOf(parts, wholeOf(link.slug)).read(() => previewLink(link, parts.now().toISOString())))
    },
  }),
  route({
    method: "POST",
    path: "/v1/sign-in/link",
    summary: "Sign in with a one-time link (owner link or invitation)",
    needs: "nobody",
    body: z.object({ token: secret, name: z.string().trim().min(1).max(100).optional() }),
    answers: { 200: me },
    limits: { isSignIn: true },
    async handle(parts, { body }) {
      const link = readSecret(body.token) ?? refuseLink()
      const now = parts.now()
      const { member, signedIn, organisation } = await rowsOf(parts, wholeOf(link.slug)).write(function* () {
        const { organisation } = yield* previewLink(link, now.toISOString())
        const member = yield* acceptLink(link, body.name, now.toISOString())
        return { member, organisation, signedIn: yield* signIn({ slug: link.slug, member }, now) }
      })
      parts.passes.forget(link.slug)
      await parts.jobs.send("tidy", { slug: link.slug })
      const answer = { organisation, member, scopes: [...scopesOf(member.role)], server: parts.version }
      return { ...reply(answer), cookie: { text: signedIn.cookie, expires: signedIn.expires } }
    },
  }),
  route({
    method: "POST",
    path: "/v1/sign-in/token",
    summary: "Sign a browser in with a personal access token",
    needs: "nobody",
    body: z.object({ token: secret }),
    answers: { 200: me },
    limits: { isSignIn: true },
    async handle(parts, { body }) {
      const found = await parts.passes.callerOf(body.token)
      if (found.kind === "ended")
        return refuse(401, `token-${found.how}`, `This token is no longer valid: ${found.how}.`)
      if (found.kind === "unknown" || found.caller.via.kind !== "token")
        return refuse(401, "signed-out", "This token is not valid.")
      const { caller } = found
      const { cookie, expires } = await rowsOf(parts, wholeOf(caller.slug)).write(function* () {
        if (!(yield* memberById(caller.member.id))) return refuse(401, "signed-out", "This token is not valid.")
        return yield* signIn({ slug: caller.slug, member: caller.member, token: caller.via }, parts.now())
      })
      await parts.jobs.send("tidy", { slug: caller.slug })
      return { ...reply(describeMe(caller, parts.version)), cookie: { text: cookie, expires } }
    },
  }),
  route({
    method: "GET",
    path: "/v1/sign-in/oidc",
    summary: "Redirect to the identity provider",
    needs: "nobody",
    query: z.object({ org: slug }),
    answers: { 302: undefined },
    form: "A redirect to the identity provider",
    limits: { isSignIn: true },
    async handle({ oidc }, { query }) {
      if (!oidc) return refuse(404, "not-found", "This server has no identity provider.")
      return oidc.begin(query.org)
    },
  }),
  route({
    method: "GET",
    path: "/v1/sign-in/oidc/callback",
    summary: "Callback of the identity provider",
    needs: "nobody",
    answers: { 302: undefined },
    form: "A redirect to the app, or to its sign-in page with ?problem=",
    limits: { isSignIn: true },
    async handle(parts, { request }) {
      if (!parts.oidc) return refuse(404, "not-found", "This server has no identity provider.")
      return parts.oidc.finish(parts, request)
    },
  }),
  route({
    method: "POST",
    path: "/v1/sign-out",
    summary: "Sign out",
    needs: { scope: "read", role: "viewer" },
    answers: { 204: undefined },
    async handle(parts, { caller }) {
      if (caller.via.kind === "sign-in")
        await rowsOf(parts, wholeOf(caller.slug)).write(() => signOut(caller.slug, caller.via.id))
      parts.passes.forget(caller.slug)
      return { ...reply(null, 204), cookie: { text: "", expires: undefined } }
    },
  }),
  route({
    method: "GET",
    path: "/v1/me",
    summary: "Current member and permissions",
    needs: { scope: "read", role: "viewer" },
    answers: { 200: me },
    handle: async ({ version }, { caller }) => reply(describeMe(caller, version)),
  }),
]
