import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"
import { z } from "zod"
import {
  episodesQuestion,
  type Role,
  type SharedMemory,
  sharedMemory,
  type TeamMemory,
  type UploadedEpisode,
  type UseEvent,
  useEvent,
} from "../api.ts"
import { testMemoryId, testTeamMemory } from "./test-team-memory.ts"

/** What becomes of a request: dropped before anything is done, answered in vain after all is done, or refused. */
export type Fault = "drop" | "lose" | { status: number; headers?: Record<string, string>; body?: string } | undefined

export type FakeTeamServer = {
  url: string
  /** Its content, by id. */
  memories: Map<string, TeamMemory>
  /** By key. */
  uses: Map<string, UseEvent>
  /** In the order in which they came. */
  episodes: Map<string, UploadedEpisode>
  /** Projects that have agreed to episodes. */
  agreed: Set<string>
  requests: { method: string; path: string; token: string | undefined }[]
  /** Tokens that it knows, and whose they are. */
  tokens: Map<string, { id: string; name: string; role: Role; teams: string[] }>
  /** Asked before each request. */
  fault: (request: { method: string; path: string }) => Fault
  /** Uses that it breaks over. */
  failsOver: (event: UseEvent) => boolean
  put(memory: TeamMemory): void
  remove(id: string): void
  pageSize: number
  close(): Promise<void>
}

/** For tests: the part of a team server that a client uses, on loopback, following the contract only. */
export async function startFakeTeamServer(): Promise<FakeTeamServer> {
  let clock = 0
  const changedAt = new Map<string, number>()
  const removed = new Set<string>()
  const touch = (id: string) => changedAt.set(id, ++clock)
  const server: FakeTeamServer = {
    url: "",
    memories: new Map(),
    uses: new Map(),
    episodes: new Map(),
    agreed: new Set(),
    requests: [],
    tokens: new Map([["token-of-kim", { id: "u-kim", name: "Kim", role: "member", teams: ["t-payments"] }]]),
    fault: () => undefined,
    failsOver: () => false,
    put(memory) {
      server.memories.set(memory.id, memory)
      removed.delete(memory.id)
      touch(memory.id)
    },
    remove(id) {
      server.memories.delete(id)
      removed.add(id)
      touch(id)
    },
    pageSize: 500,
    close: async () => {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
  const share = (memory: SharedMemory, by: { id: string; name: string }): TeamMemory => {
    const known = [...server.memories.values()].find((each) => each.sourceMemory === memory.sourceMemory)
    if (known) return known
    const { team, ...words } = memory
    const owner = team === null ? ({ type: "org", id: "acme" } as const) : ({ type: "team", id: team } as const)
    const shared = testTeamMemory(`shared ${memory.sourceMemory}`, { ...words, owner, contributedBy: by.name })
    server.put(shared)
    return shared
  }
  const changes = (query: URLSearchParams) => {
    const since = Number(query.get("since"))
    const projects = query.getAll("project")
    const isVisible = (id: string) => {
      const project = server.memories.get(id)?.project
      return removed.has(id) || project === null || projects.includes(project ?? "")
    }
    const all = [...changedAt].filter(([, at]) => at > since).sort(([, one], [, other]) => one - other)
    const page = all.slice(0, server.pageSize)
    const ids = page.map(([id]) => id).filter(isVisible)
    return {
      memories: ids.flatMap((id) => server.memories.get(id) ?? []),
      removed: ids.filter((id) => removed.has(id)),
      next: page.at(-1)?.[1] ?? since,
      more: all.length > page.length,
    }
  }
  const takeEpisodes = (body: unknown): [number, unknown] => {
    const { episodes } = episodesQuestion.parse(body)
    if (episodes.some(({ project }) => !server.agreed.has(project)))
      return [403, { error: "This project has not agreed to episodes.", code: "episodes-not-agreed" }]
    const fresh = episodes.filter(({ id }) => !server.episodes.has(id))
    for (const episode of fresh) server.episodes.set(episode.id, episode)
    return [200, { taken: fresh.length, known: episodes.length - fresh.length, refused: 0 }]
  }
  const listProjects = () => [...server.agreed].map((id) => ({ id, memories: 0, episodes: true, lastChange: null }))
  const answer = (method: string, url: URL, body: unknown, token: string): [number, unknown] => {
    const member = server.tokens.get(token)
    if (!member) return [401, { error: "The token is not known.", code: "signed-out" }]
    const joined = "2026-01-01T00:00:00.000Z"
    const whole = { ...member, email: "kim@example.com", joined, lastSeen: null }
    const path = `${method} ${url.pathname}`
    if (path === "GET /v1/me")
      return [
        200,
        { organisation: { slug: "acme", name: "Acme" }, member: whole, scopes: ["read", "write"], server: "1" },
      ]
    if (path === "GET /v1/teams") return [200, { teams: [{ id: "t-payments", name: "Payments", members: 2 }] }]
    if (path === "GET /v1/projects") return [200, { projects: listProjects() }]
    if (path === "POST /v1/episodes") return takeEpisodes(body)
    if (path === "GET /v1/changes") return [200, changes(url.searchParams)]
    if (path === "POST /v1/memories") return [201, share(sharedMemory.parse(body), member)]
    if (path === "POST /v1/uses") {
      const { events } = z.object({ events: z.array(useEvent).max(500) }).parse(body)
      if (events.some(server.failsOver)) return [500, { error: "Something broke.", code: "internal" }]
      const fresh = events.filter(({ key }) => !server.uses.has(key))
      for (const event of fresh) server.uses.set(event.key, event)
      return [200, { taken: fresh.length, known: events.length - fresh.length }]
    }
    const [, id = ""] = /^DELETE \/v1\/memories\/(.+)$/.exec(path) ?? []
    const memory = server.memories.get(id)
    if (!memory) return [404, { error: "There is no such memory.", code: "not-found" }]
    if (memory.contributedBy !== member.name)
      return [403, { error: "Only who shared it, or an admin.", code: "forbidden" }]
    server.remove(id)
    return [200, {}]
  }
  const http = createServer(async (request, response) => {
    const method = request.method ?? ""
    const url = new URL(request.url ?? "", "http://localhost")
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1]
    const body = await readBody(request)
    server.requests.push({ method, path: url.pathname + url.search, token })
    const fault = server.fault({ method, path: url.pathname })
    if (fault === "drop") return void response.destroy()
    if (typeof fault === "object") return respond(response, fault.status, fault.body ?? "", fault.headers)
    try {
      const [status, value] = answer(method, url, body, token ?? "")
      if (fault === "lose") return void response.destroy()
      respond(response, status, JSON.stringify(value))
    } catch {
      respond(response, 400, JSON.stringify({ error: "That cannot be read.", code: "invalid" }))
    }
  })
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve))
  server.url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  onTestFinished(server.close)
  return server
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  let text = ""
  for await (const chunk of request) text += chunk
  return text === "" ? undefined : JSON.parse(text)
}

function respond(response: ServerResponse, status: number, body: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(body)
}

/** The id that the server assigns to the shared copy of this memory. */
export function sharedIdOf(memory: string): string {
  return testMemoryId(`shared ${memory}`)
}
