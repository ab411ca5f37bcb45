import { z } from "zod"
import { auditPage, organisation } from "../../api.ts"
import { wholeOf } from "../identity/caller.ts"
import { deleteOrganisation } from "../identity/delete-organisation.ts"
import { exportOrganisation } from "../identity/export-organisation.ts"
import { readOrganisation, renameOrganisation } from "../identity/organisations.ts"
import { addTeamAudit, readTeamAudit } from "../identity/team-audit.ts"
import { refuse, refuseUnknown } from "../refusal.ts"
import { reply, route, type TeamRoute } from "../route.ts"
import { rowsOf } from "../team-parts.ts"

const anHour = 3_600_000

export const organisationRoutes: readonly TeamRoute[] = [
  route({
    method: "GET",
    path: "/v1/org",
    summary: "The organisation",
    needs: { scope: "read", role: "viewer" },
    answers: { 200: organisation },
    async handle(parts, { caller }) {
      return reply((await rowsOf(parts, wholeOf(caller.slug)).read(readOrganisation)) ?? refuseUnknown("organisation"))
    },
  }),
  route({
    method: "PATCH",
    path: "/v1/org",
    summary: "Rename the organisation",
    needs: { scope: "admin", role: "owner" },
    body: z.object({ name: z.string().trim().min(1).max(100) }),
    answers: { 200: organisation },
    async handle(parts, { caller, body }) {
      const renamed = await rowsOf(parts, wholeOf(caller.slug)).write(function* () {
        yield* renameOrganisation(body.name)
        const act = { actor: caller.member.name, action: "organisation renamed" }
        yield* addTeamAudit(act, parts.now().toISOString())
        return yield* readOrganisation()
      })
      parts.passes.forget(caller.slug)
      return reply(renamed ?? refuseUnknown("organisation"))
    },
  }),
  route({
    method: "DELETE",
    path: "/v1/org",
    summary: "Permanently delete the organisation and all its data",
    needs: { scope: "admin", role: "owner" },
    body: z.object({ confirm: z.string().max(100) }),
    answers: { 200: z.object({ rows: z.record(z.string(), z.number().int()) }) },
    limits: { ms: anHour },
    async handle(parts, { caller, body }) {
      if (body.confirm !== caller.slug)
        refuse(400, "not-confirmed", `To confirm, send the organisation's short name: "${caller.slug}".`)
      parts.log("warn", "an organisation is deleted", { organisation: caller.slug, member: caller.member.id })
      const rows = await deleteOrganisation(parts, caller)
      parts.passes.forget(caller.slug)
      parts.log("warn", "an organisation was deleted", { organisation: caller.slug, member: caller.member.id })
      return { ...reply({ rows }), cookie: { text: "", expires: undefined } }
    },
  }),
  route({
    method: "GET",
    path: "/v1/org/export",
    summary: "Export the organisation without secrets and derived data, one line per row",
    needs: { scope: "admin", role: "admin" },
    answers: { 200: undefined },
    form: 'JSON lines: {"table", "row"}, then {"end": true, "counts"}; without the last line the export is incomplete',
    async handle(parts, { caller }) {
      await rowsOf(parts, wholeOf(caller.slug)).write(() =>
        addTeamAudit({ actor: caller.member.name, action: "organisation exported" }, parts.now().toISOString()),
      )
      return exportOrganisation(parts, caller.slug)
    },
  }),
  route({
    method: "GET",
    path: "/v1/audit",
    summary: "Audit log, newest first",
    needs: { scope: "admin", role: "admin" },
    query: z.object({
      after: z.coerce.number().int().min(1).optional(),
      limit: z.coerce.number().int().min(1).max(500).default(100),
    }),
    answers: { 200: auditPage },
    async handle(parts, { caller, query }) {
      const { after, limit } = query
      return reply(await rowsOf(parts, wholeOf(caller.slug)).read(() => readTeamAudit({ after, limit })))
    },
  }),
]
