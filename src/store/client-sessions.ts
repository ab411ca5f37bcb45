import type { ClientId } from "../clients/client.ts"
import { type EpisodeRow, episodeColumns, toEpisode } from "./episode-rows.ts"
import { knownAs } from "./known-as.ts"
import type { SessionEpisodes, SessionFilter } from "./learned-store.ts"
import { all, type Steps } from "./steps.ts"

type SessionRow = { client: ClientId; session: string }

/** A project's agent sessions with their closed episodes, newest first. */
export function* listClientSessions(project: string, filter: SessionFilter): Steps<SessionEpisodes[]> {
  const id = yield* knownAs(project)
  const rows = yield* all<SessionRow>(
    `SELECT client, session_id AS session FROM episodes
     WHERE project_id = :id AND client <> 'drey'
       AND (CAST(:only AS TEXT) IS NULL OR client = :client OR session_id IN (SELECT value FROM json_each(:only)))
     GROUP BY client, session_id HAVING max(end_ts) >= :since
     ORDER BY max(end_ts) DESC, client, session_id LIMIT :limit`,
    {
      id,
      client: filter.of?.client ?? null,
      only: filter.of === undefined ? null : JSON.stringify(filter.of.sessions),
      since: filter.since ?? "",
      limit: filter.limit,
    },
  )
  const sessions: SessionEpisodes[] = []
  for (const { client, session } of rows) {
    const episodes = yield* all<EpisodeRow>(
      `SELECT ${episodeColumns} FROM episodes WHERE client = ? AND session_id = ? AND project_id = ? ORDER BY ordinal`,
      client,
      session,
      id,
    )
    sessions.push({ client, session, episodes: episodes.map(toEpisode) })
  }
  return sessions
}
