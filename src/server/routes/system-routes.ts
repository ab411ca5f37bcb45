import { z } from "zod"
import { isSameSecret } from "../../disk/hash.ts"
import { isLoopback, secretOf } from "../authentication.ts"
import { refuse } from "../refusal.ts"
import { reply, route, type TeamRoute } from "../team-route.ts"

const state = z.object({ status: z.string(), version: z.string() })

/** Health, metrics and the event stream. */
export const systemRoutes: readonly TeamRoute[] = [
  route({
    method: "GET",
    path: "/healthz",
    summary: "Liveness check",
    needs: "nobody",
    answers: { 200: state },
    handle: async ({ version }) => reply({ status: "alive", version }),
  }),
  route({
    method: "GET",
    path: "/readyz",
    summary: "Readiness check",
    needs: "nobody",
    answers: { 200: state, 503: state },
    limits: { ms: 5000 },
    async handle({ version, isReady }) {
      const isIt = await isReady()
      return reply({ status: isIt ? "ready" : "not ready", version }, isIt ? 200 : 503)
    },
  }),
  route({
    method: "GET",
    path: "/metrics",
    summary: "Prometheus metrics; only from this machine or with the metrics token",
    needs: "nobody",
    answers: { 200: undefined },
    form: "Prometheus's text format",
    async handle({ metrics, metricsToken, isBehindProxy }, { request, address }) {
      const isOwn = isLoopback(address) && !isBehindProxy && !request.headers.has("x-forwarded-for") // a local proxy forwards requests of others
      const isAllowed =
        metricsToken === undefined
          ? isOwn
          : isSameSecret(request.headers.get("authorization") ?? "", `Bearer ${metricsToken}`)
      if (!isAllowed) refuse(404, "not-found", "Not found.")
      return new Response(await metrics.text(), { headers: { "Content-Type": metrics.contentType } })
    },
  }),
  route({
    method: "GET",
    path: "/v1/events",
    summary: "A stream of change events",
    needs: { scope: "read", role: "viewer" },
    answers: { 200: undefined },
    form: 'Server-sent events, each {"kind": "changed", "version"}',
    async handle({ live, passes, publicUrl }, { caller, request }) {
      const { secret = "" } = secretOf(request, publicUrl)
      return live.listen(caller, async () => (await passes.callerOf(secret)).kind === "known")
    },
  }),
]
