import { z } from "zod"
import { ensureProject } from "../../../store/register-project.ts"
import { all, run, type Steps } from "../../../store/steps.ts"
import { type Project, project, projects } from "../../api.ts"
import { reachOf, wholeOf } from "../identity/caller.ts"
import { addTeamAudit } from "../identity/team-audit.ts"
import { refuseUnknown } from "../refusal.ts"
import { reply, route, type TeamRoute } from "../route.ts"
import { rowsOf } from "../team-parts.ts"

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

function* listProjects(only: string | undefined): Steps<Project[]> {
  const rows = yield* all<Omit<Project, "episodes"> & { episodes: number }>(
    `SELECT projects.project_id AS id, count(memory_id) AS memories, takes_episodes AS episodes, max(updated_at) AS "lastChange"
     FROM projects LEFT JOIN memories ON memories.project_id = projects.project_id AND status <> 'deprecated'
     WHERE CAST(:only AS TEXT) IS NULL OR projects.project_id = :only
     GROUP BY projects.tenant_id, projects.project_id ORDER BY projects.project_id`,
    { only: only ?? null },
  )
  return rows.map((row) => ({ ...row, episodes: row.episodes === 1 }))
}
