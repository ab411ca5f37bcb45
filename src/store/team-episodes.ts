import type { Episode } from "../episodes/episode.ts"
import { type EpisodeRow, episodeColumns, toEpisode } from "./episode-rows.ts"
import { knownAs } from "./known-as.ts"
import { ensureProject } from "./register-project.ts"
import { all, run, type Steps } from "./steps.ts"

/** The user's consent to share a project's episodes with the team, and how many were sent. */
export type EpisodeConsent = {
  project: string
  root: string
  /** Episodes that began then or later. */
  from: string
  /** Whether the team has agreed, too, as of the server's latest answer; null before the first. */
  isAgreed: boolean | null
  waiting: number
  sent: number
  /** Episodes that the server rejects in any form. */
  refused: number
}

/** A repeated consent keeps its start time, unless a new one is given. */
export function* consentToEpisodes(project: string, from: string | undefined, now: string): Steps<void> {
  yield* run(
    `INSERT INTO team_consents (project_id, from_ts) VALUES (:project, coalesce(:from, :now))
     ON CONFLICT (project_id) DO UPDATE SET from_ts = coalesce(:from, from_ts), is_agreed = NULL`,
    { project: yield* ensureProject(project), from: from ?? null, now },
  )
}

/** Returns whether there was a consent. Sent episodes stay recorded, so that they are not sent again. */
export function* withdrawConsent(project: string): Steps<boolean> {
  return (yield* run("DELETE FROM team_consents WHERE project_id = ?", yield* knownAs(project))) > 0
}

export function* noteAgreement(project: string, isAgreed: boolean): Steps<void> {
  yield* run("UPDATE team_consents SET is_agreed = ? WHERE project_id = ?", Number(isAgreed), project)
}

type ConsentRow = Omit<EpisodeConsent, "isAgreed"> & { isAgreed: number | null }

export function* listConsents(): Steps<EpisodeConsent[]> {
  const rows = yield* all<ConsentRow>(
    `SELECT project_id AS project, root, from_ts AS "from", is_agreed AS isAgreed,
       (SELECT count(*) FROM episodes WHERE ${isWaiting}) AS waiting,
       (SELECT count(*) FROM episodes JOIN team_sent_episodes USING (episode_id)
        WHERE episodes.project_id = team_consents.project_id AND is_refused = 0) AS sent,
       (SELECT count(*) FROM episodes JOIN team_sent_episodes USING (episode_id)
        WHERE episodes.project_id = team_consents.project_id AND is_refused = 1) AS refused
     FROM team_consents JOIN projects USING (project_id) ORDER BY project_id`,
  )
  return rows.map((row) => ({ ...row, isAgreed: row.isAgreed === null ? null : row.isAgreed === 1 }))
}

/** An agent's notes in Drey's own sessions are not part of a transcript and have already been learned from. */
const isWaiting = `episodes.project_id = team_consents.project_id AND processed = 1 AND start_ts >= from_ts AND client <> 'drey'
  AND NOT EXISTS (SELECT 1 FROM team_sent_episodes WHERE team_sent_episodes.episode_id = episodes.episode_id)`

/** Episodes not on the server yet, in chronological order. None without a consent. */
export function* listUnsent(project: string, limit: number): Steps<Episode[]> {
  const rows = yield* all<EpisodeRow>(
    `SELECT ${episodeColumns} FROM episodes JOIN team_consents USING (project_id)
     WHERE project_id = ? AND ${isWaiting}
     ORDER BY session_start, client, session_id, ordinal LIMIT ?`,
    project,
    limit,
  )
  return rows.map(toEpisode)
}

export function* noteSent(episodes: readonly string[], isRefused: boolean): Steps<void> {
  for (const id of episodes)
    yield* run(
      "INSERT INTO team_sent_episodes (episode_id, is_refused) VALUES (?, ?) ON CONFLICT DO NOTHING",
      id,
      Number(isRefused),
    )
}

export function* dropConsents(): Steps<void> {
  yield* run("DELETE FROM team_consents")
  yield* run("DELETE FROM team_sent_episodes")
}
