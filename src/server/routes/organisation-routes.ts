import { z } from "zod"
import { ensureProject } from "../../memories/projects.ts"
import { all, run, type Steps } from "../../memories/steps.ts"
import { auditPage, organisation, project, projects, type ServerProject } from "../api.ts"
import { reachOf, wholeOf } from "../identity/caller.ts"
import {
  deleteOrganisation,
  exportOrganisation,
  readOrganisation,
  renameOrganisation,
} from "../identity/organisations.ts"
import { addTeamAudit, readTeamAudit } from "../identity/team-audit.ts"
import { refuse, refuseUnknown } from "../refusal.ts"
import { rowsOf } from "../team-parts.ts"
import { reply, route, type TeamRoute } from "../team-route.ts"

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

export const projectRoutes: readonly TeamRoute[] = [
  route({
    method: "GET",
    path: "/v1/projects",
    summary: "List projects",
    needs: { scope: "read", role: "viewer" },
    answers: { 200: projects },
    async handle(parts, { caller }) {
      return reply({ projects: await rowsOf(parts, reachOf(caller)).read(() => listProjects(undefined)) })
    },
  }),
  route({
    method: "PUT",
    path: "/v1/projects/:id",
    summary: "Enable or disable episode uploads for a project",
    needs: { scope: "admin", role: "admin" },
    body: z.object({ episodes: z.boolean() }),
    answers: { 200: project },
    async handle(parts, { caller, params, body }) {
      const now = parts.now().toISOString()
      const [changed] = await rowsOf(parts, wholeOf(caller.slug)).write(function* () {
        const id = yield* ensureProject(params.id ?? "")
        yield* run("UPDATE projects SET takes_episodes = ? WHERE project_id = ?", Number(body.episodes), id)
        const action = body.episodes ? "episodes allowed" : "episodes forbidden"
        yield* addTeamAudit({ actor: caller.member.name, action, subject: id }, now)
        return yield* listProjects(id)
      })
      return reply(changed ?? refuseUnknown("project"))
    },
  }),
]

function* listProjects(only: string | undefined): Steps<ServerProject[]> {
  const rows = yield* all<Omit<ServerProject, "episodes"> & { episodes: number }>(
    `SELECT projects.project_id AS id, count(memory_id) AS memories, takes_episodes AS episodes, max(updated_at) AS "lastChange"
     FROM projects LEFT JOIN memories ON memories.project_id = projects.project_id AND status <> 'deprecated'
     WHERE CAST(:only AS TEXT) IS NULL OR projects.project_id = :only
     GROUP BY projects.tenant_id, projects.project_id ORDER BY projects.project_id`,
    { only: only ?? null },
  )
  return rows.map((row) => ({ ...row, episodes: row.episodes === 1 }))
}
