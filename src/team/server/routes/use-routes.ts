import { episodesAnswer, episodesQuestion, usesAnswer, usesQuestion } from "../../api.ts"
import { reachOf } from "../identity/caller.ts"
import { takeEpisodes } from "../memories/take-episodes.ts"
import { takeUses } from "../memories/take-uses.ts"
import { reply, route, type TeamRoute } from "../route.ts"
import { rowsOf } from "../team-parts.ts"

const writes = { scope: "write", role: "member" } as const
const limits = { bytes: 8 * 1024 * 1024 }

export const useRoutes: readonly TeamRoute[] = [
  route({
    method: "POST",
    path: "/v1/uses",
    summary: "Record usage events; idempotent by key",
    needs: writes,
    body: usesQuestion,
    answers: { 200: usesAnswer },
    limits,
    async handle(parts, { caller, body }) {
      const now = parts.now().toISOString()
      const { projects, ...counts } = await rowsOf(parts, reachOf(caller)).write(() =>
        takeUses(caller, body.events, now),
      )
      for (const project of projects) await parts.jobs.send("evaluate", { slug: caller.slug, project })
      return reply(counts)
    },
  }),
  route({
    method: "POST",
    path: "/v1/episodes",
    summary: "Upload episodes of projects that have enabled them",
    needs: writes,
    body: episodesQuestion,
    answers: { 200: episodesAnswer },
    limits,
    async handle(parts, { caller, body }) {
      const { projects, ...counts } = await rowsOf(parts, reachOf(caller)).write(() =>
        takeEpisodes(caller, body.episodes),
      )
      for (const project of projects) await parts.jobs.send("learn", { slug: caller.slug, project })
      return reply(counts)
    },
  }),
]
