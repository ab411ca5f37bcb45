import type { ClientId } from "../formats/client-events.ts"
import type { Episode, EpisodeEvent, EpisodeStats, EpisodeSummary } from "./episode.ts"
import { currentProjectId } from "./project-id.ts"
import { all, run, type Steps } from "./steps.ts"

/** An episode as it can be searched: its summary, or, of one older than summaries, the events to make it from. */
export type StoredConversation = SummarizedConversation | (PlacedEpisode & { events: EpisodeEvent[] })

export type SummarizedConversation = PlacedEpisode & { summary: EpisodeSummary }

type PlacedEpisode = Pick<Episode, "id" | "session" | "transcript" | "start" | "end"> & {
  client: ClientId
  outcome: EpisodeStats["outcome"]
}

/** The months with episodes of a project, each with a stamp that changes with what `readConversations` returns. */
export function* conversationMonths(project: string): Steps<Map<string, string>> {
  const rows = yield* all<{ month: string; episodes: number; changes: number }>(
    `SELECT substr(start_ts, 1, 7) AS month, count(*) AS episodes, sum(summary_version) AS changes
     FROM episodes WHERE project_id = ? AND parent_session IS NULL GROUP BY substr(start_ts, 1, 7) ORDER BY 1`,
    yield* currentProjectId(project),
  )
  return new Map(rows.map(({ month, episodes, changes }) => [month, `${episodes} ${changes}`]))
}

type ConversationRow = {
  id: string
  client: ClientId
  session: string
  transcript: string
  start: string
  end: string
  stats: string
  summary: string | null
  events: string | null
}

/** The conversations that began in a month, in order; without notes from Drey's own sessions, sub-agents' work, and forgotten ones. */
export function* readConversations(project: string, month: string): Steps<StoredConversation[]> {
  const rows = yield* all<ConversationRow>(
    `SELECT episode_id AS id, client, session_id AS session, transcript, start_ts AS start, end_ts AS "end",
       stats_json AS stats, summary_json AS summary, CASE WHEN summary_json IS NULL THEN events_json END AS events
     FROM episodes WHERE project_id = ? AND substr(start_ts, 1, 7) = ? AND client <> 'drey'
       AND parent_session IS NULL AND summary_json IS DISTINCT FROM '' ORDER BY start_ts, episode_id`,
    yield* currentProjectId(project),
    month,
  )
  return rows.map(({ stats, summary, events, ...row }) => ({
    ...row,
    outcome: (JSON.parse(stats) as EpisodeStats).outcome,
    ...(summary === null ? { events: JSON.parse(events ?? "[]") } : { summary: JSON.parse(summary) }),
  }))
}

/** Removes what was said and done in episodes; that they took place, and what was learned from them, stays. */
export function* forgetConversations(ids: readonly string[]): Steps<string[]> {
  const list = JSON.stringify(ids)
  const forgotten = yield* all<{ id: string }>(
    `UPDATE episodes SET summary_json = '', events_json = '[]', summary_version = summary_version + 1
     WHERE episode_id IN (SELECT value FROM json_each(?)) AND summary_json IS DISTINCT FROM '' RETURNING episode_id AS id`,
    list,
  )
  return forgotten.map(({ id }) => id)
}

/** Removes these parts of what was said from an episode's summary. */
export function* blankSummary(id: string, isMeant: (text: string) => boolean): Steps<void> {
  const [row] = yield* all<{ summary: string | null }>(
    "SELECT summary_json AS summary FROM episodes WHERE episode_id = ?",
    id,
  )
  if (!row?.summary) return
  const summary: EpisodeSummary = JSON.parse(row.summary)
  const left: EpisodeSummary = {
    ...summary,
    said: summary.said.filter(({ text }) => !isMeant(text)),
    tried: summary.tried.filter(({ command, error = "" }) => !isMeant(command) && !isMeant(error)),
    commits: summary.commits.filter(({ subject = "" }) => !isMeant(subject)),
  }
  yield* run(
    "UPDATE episodes SET summary_json = ?, summary_version = summary_version + 1 WHERE episode_id = ?",
    JSON.stringify(left),
    id,
  )
}
