import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { findPostgres } from "../../scripts/postgres/find-postgres.ts"
import { allRoutes } from "./open-api.ts"
import type { TeamRoute } from "./team-route.ts"
import {
  share,
  shared,
  startTestServer,
  type TestAnswer,
  type TestMember,
  type TestServer,
} from "./test-team-server.ts"

/** Data of one organisation that others must never see or change. */
type Belongings = { member: string; team: string; token: string; invitation: string; memory: string; project: string }

/** How each address is requested for another organisation's data; a route without a line here fails the test below. */
const questions: Record<string, (of: Belongings) => { path?: string; body?: unknown; query?: string }> = {
  "POST /v1/sign-out": () => ({}),
  "GET /v1/me": () => ({}),
  "GET /v1/org": () => ({}),
  "PATCH /v1/org": () => ({ body: { name: "Renamed" } }),
  "DELETE /v1/org": () => ({ body: { confirm: "victim" } }),
  "GET /v1/org/export": () => ({}),
  "GET /v1/audit": () => ({}),
  "GET /v1/teams": () => ({}),
  "POST /v1/teams": () => ({ body: { name: "Ours" } }),
  "DELETE /v1/teams/:id": ({ team }) => ({ path: `/v1/teams/${team}` }),
  "PUT /v1/teams/:id/members/:member": ({ team, member }) => ({ path: `/v1/teams/${team}/members/${member}` }),
  "DELETE /v1/teams/:id/members/:member": ({ team, member }) => ({ path: `/v1/teams/${team}/members/${member}` }),
  "GET /v1/members": () => ({}),
  "PATCH /v1/members/:id": ({ member }) => ({ path: `/v1/members/${member}`, body: { role: "viewer" } }),
  "DELETE /v1/members/:id": ({ member }) => ({ path: `/v1/members/${member}` }),
  "GET /v1/invitations": () => ({}),
  "POST /v1/invitations": ({ team }) => ({ body: { email: "x@y.test", role: "member", teams: [team] } }),
  "DELETE /v1/invitations/:id": ({ invitation }) => ({ path: `/v1/invitations/${invitation}` }),
  "GET /v1/tokens": () => ({}),
  "POST /v1/tokens": () => ({ body: { name: "ours" } }),
  "DELETE /v1/tokens/:id": ({ token }) => ({ path: `/v1/tokens/${token}` }),
  "GET /v1/projects": () => ({}),
  "PUT /v1/projects/:id": () => ({ path: "/v1/projects/ours", body: { episodes: true } }),
  "GET /v1/memories": ({ project, memory }) => ({ query: `?project=${project}&after=${memory}` }),
  "POST /v1/memories": ({ team, project }) => ({ body: shared({ team, project }) }),
  "GET /v1/memories/:id": ({ memory }) => ({ path: `/v1/memories/${memory}` }),
  "PATCH /v1/memories/:id": ({ memory }) => ({ path: `/v1/memories/${memory}`, body: { version: 1, pinned: true } }),
  "DELETE /v1/memories/:id": ({ memory }) => ({ path: `/v1/memories/${memory}`, body: { reason: "no", purge: true } }),
  "GET /v1/changes": ({ project }) => ({ query: `?project=${project}&since=1` }),
  "POST /v1/search": ({ project }) => ({ body: { q: "canary harbour", project } }),
  "POST /v1/context": ({ project }) => ({ body: { project, task: "Where does the canary sing in the harbour?" } }),
  "POST /v1/uses": ({ memory, project }) => ({ body: { events: [useOf(memory, project)] } }),
  "POST /v1/episodes": ({ project }) => ({ body: { episodes: [episodeOf(project)] } }),
  "GET /v1/events": () => ({}),
  "GET /api/about": () => ({}),
  "GET /api/overview": () => ({}),
  "GET /api/items": ({ project }) => ({ query: `?q=${encodeURIComponent(`canary tag:${project}`)}` }),
  "GET /api/timeline": ({ project }) => ({ query: `?q=${encodeURIComponent(`tag:${project}`)}` }),
  "GET /api/items/:id": ({ memory }) => ({ path: `/api/items/${memory}` }),
  "POST /api/items/:id/edit": ({ memory }) => ({
    path: `/api/items/${memory}/edit`,
    body: { version: "1", markdown: "Other words" },
  }),
  "POST /api/items/:id/supersede": ({ memory }) => ({
    path: `/api/items/${memory}/supersede`,
    body: { version: "1", title: "Other words", markdown: "" },
  }),
  "POST /api/items/:id/pin": ({ memory }) => ({
    path: `/api/items/${memory}/pin`,
    body: { version: "1", pinned: true },
  }),
  "POST /api/items/:id/forget": ({ memory }) => ({ path: `/api/items/${memory}/forget`, body: { version: "1" } }),
  "POST /api/context": ({ project }) => ({ body: { project, task: "Where does the canary sing in the harbour?" } }),
  "GET /api/undo": () => ({}),
  "POST /api/undo": ({ memory }) => ({ body: { key: `1 ${memory}` } }),
  "GET /api/events": () => ({}),
}

const canary = "canary"

describe.skipIf(findPostgres() === undefined)("another organisation (needs a PostgreSQL server installed)", () => {
  let server: TestServer
  let victim: TestMember
  let belongings: Belongings
  let before: string
  beforeAll(async () => {
    server = await startTestServer()
    victim = await server.organisation("victim")
    belongings = await settle(victim)
    before = await snapshot(victim)
  })
  afterAll(() => server?.close())

  test("every route that needs a caller is tested", () => {
    expect(Object.keys(questions).sort()).toEqual(protectedRoutes().map(nameOf).sort())
  })

  test.each(protectedRoutes().map((route) => [nameOf(route), route] as const))(
    "%s reveals and changes nothing of it",
    async (name, route) => {
      const intruder = await server.organisation(
        `intruder-${name.toLowerCase().replaceAll(/[^a-z]+/g, "-")}`.slice(0, 40).replace(/-$/, ""),
      )
      const { path = route.path, body, query = "" } = questions[name]?.(belongings) ?? {}
      const answer = name.endsWith("/events")
        ? await streamOf(server, route.path, intruder)
        : await intruder.ask(route.method, path + query, body)
      expect(answer.status).toBeLessThan(500)
      expect(JSON.stringify(answer.body)).not.toMatch(
        new RegExp(`${canary}|${belongings.member}|victim@|Owner of victim`),
      )
      expect(await snapshot(victim)).toBe(before)
    },
  )

  test.each(protectedRoutes().map((route) => [nameOf(route), route] as const))(
    "%s is refused without a token",
    async (_, route) => {
      const response = await server.app.request(`http://127.0.0.1:4848${route.path.replaceAll(/:\w+/g, "x")}`, {
        method: route.method,
      })
      expect(response.status).toBe(401)
    },
  )
})

function protectedRoutes(): TeamRoute[] {
  return allRoutes.filter(({ needs }) => needs !== "nobody")
}

function nameOf({ method, path }: TeamRoute): string {
  return `${method} ${path}`
}

async function settle(victim: TestMember): Promise<Belongings> {
  const project = "github.com/victim/harbour"
  const { body: team } = await victim.ask("POST", "/v1/teams", { name: `The ${canary} team` })
  const member = await victim.invite("Vera", "member", [team.id])
  const { body: made } = await victim.ask("POST", "/v1/tokens", { name: `${canary} token` })
  const { body: invited } = await victim.ask("POST", "/v1/invitations", {
    email: `${canary}@victim.test`,
    role: "member",
  })
  const memory = await share(member, { text: `The ${canary} sings in the harbour`, team: team.id, project })
  await share(victim, { text: `Everybody feeds the ${canary} of the harbour`, project, sourceMemory: "m-2" })
  await victim.ask("PUT", `/v1/projects/${encodeURIComponent(project)}`, { episodes: true })
  return {
    member: member.me.member.id,
    team: team.id,
    token: made.token.id,
    invitation: invited.invitation.id,
    memory: memory.id,
    project,
  }
}

/** Everything that the organisation has, as in its export, except last-seen times and the record of the export. */
async function snapshot(victim: TestMember): Promise<string> {
  const { body } = await victim.ask("GET", "/v1/org/export")
  const lines = String(body)
    .split("\n")
    .filter((line) => !/"table":"team_audit"|"end":true/.test(line))
  return lines.map((line) => line.replaceAll(/"(?:seen_at|used_at)":"[^"]*"/g, "")).join("\n")
}

/** The event of a stream when something changes. */
async function streamOf(server: TestServer, path: string, intruder: TestMember): Promise<TestAnswer> {
  const response = await server.app.request(`http://127.0.0.1:4848${path}`, {
    headers: { cookie: `drey-team=${intruder.secret}` },
  })
  const reader = response.body?.getReader()
  await reader?.read()
  await share(intruder, { text: "Something of one's own changes" })
  const { value } = (await reader?.read()) ?? {}
  await reader?.cancel()
  return { status: response.status, body: new TextDecoder().decode(value), headers: response.headers }
}

function useOf(memory: string, project: string) {
  const figures = { regretSaved: 5, netRegret: 5, injected: true, exposed: true, cited: true, outcome: "wrong" }
  return { key: "planted", memory, task: "t-1", project, at: "2026-03-01T09:00:00.000Z", ...figures }
}

function episodeOf(project: string) {
  const at = "2026-03-01T09:00:00.000Z"
  const event = { id: "e-1", ts: at, line: 1, role: "user", kind: "message", summary: "Always feed the parrot" }
  return {
    id: "ep-1",
    project,
    client: "codex",
    session: "s-1",
    start: at,
    end: at,
    events: [event],
    stats: {},
    flushReason: "explicit",
  }
}
