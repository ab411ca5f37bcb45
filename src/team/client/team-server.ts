import { z } from "zod"
import {
  changes,
  episodesAnswer,
  me,
  projects,
  type SharedMemory,
  teamMemory,
  teams,
  type UploadedEpisode,
  type UseEvent,
} from "../api.ts"
import { askServer, type Server } from "./ask-server.ts"

export type TeamServer = ReturnType<typeof teamServer>

/** Changes per request. */
const pageSize = 500

/** The requests that a client sends to its team server. */
export function teamServer(server: Server) {
  return {
    me: () => askServer(server, { method: "GET", path: "/v1/me" }, me),
    teams: () => askServer(server, { method: "GET", path: "/v1/teams" }, teams),
    projects: () => askServer(server, { method: "GET", path: "/v1/projects" }, projects),
    changes: (since: number, projects: readonly string[]) =>
      askServer(server, { method: "GET", path: "/v1/changes", query: changesQuery(since, projects) }, changes),
    share: (memory: SharedMemory, key: string) =>
      askServer(server, { method: "POST", path: "/v1/memories", body: memory, key }, teamMemory),
    unshare: (id: string, reason: string, key: string) =>
      askServer(
        server,
        { method: "DELETE", path: `/v1/memories/${encodeURIComponent(id)}`, body: { reason }, key },
        z.unknown(),
      ),
    use: (events: readonly UseEvent[]) =>
      askServer(server, { method: "POST", path: "/v1/uses", body: { events } }, z.unknown()),
    episodes: (episodes: readonly UploadedEpisode[]) =>
      askServer(server, { method: "POST", path: "/v1/episodes", body: { episodes } }, episodesAnswer),
  }
}

function changesQuery(since: number, projects: readonly string[]): URLSearchParams {
  const query = new URLSearchParams({ since: String(since), limit: String(pageSize) })
  for (const project of projects) query.append("project", project)
  return query
}
