import { z } from "zod"
import { clearWithMarks } from "../../governance/cleared.ts"
import { statsOf } from "../../learning/episodes/episode-stats.ts"
import { type Episode, type EpisodeEvent, flushReasons, frustrations } from "../../memories/episode.ts"
import { insertEpisode, readEpisode } from "../../memories/episode-rows.ts"
import { addFlag, refreshMetrics } from "../../memories/memory-rows.ts"
import { all, one, run, type Steps } from "../../memories/steps.ts"
import type { UploadedEpisode, UseEvent } from "../api.ts"
import type { TeamCaller } from "../identity/caller.ts"
import { refuse } from "../refusal.ts"

/** `ignored`: events that do not count. `projects`: of the memories used; "" means memories of all projects. */
export type TakenUses = { taken: number; known: number; ignored: number; projects: string[] }

/** Events counted per member, memory and day. */
const mostADay = 20
/** Limit per use, because clients can claim anything. */
const mostRegret = 20

/**
 * Records usage events, each once, and updates the metrics. Events are ignored for memories that the member shared (contributors cannot
 * prove their own), that they cannot see, and beyond the daily limit.
 */
export function* recordUses(caller: TeamCaller, events: readonly UseEvent[], now: string): Steps<TakenUses> {
  const counting = yield* onlyCounting(caller, events, now)
  const named = counting.map((event) => ({ ...event, key: `${caller.member.id} ${event.key}` })) // members have separate key spaces
  const rows = yield* all<{ key: string }>(
    `INSERT INTO use_events (event_key, member_id, memory_id, at)
     SELECT key, CAST(? AS TEXT), memory, CAST(? AS TEXT)
     FROM jsonb_to_recordset(CAST(CAST(? AS TEXT) AS JSONB)) AS event (key TEXT, memory TEXT)
     ON CONFLICT DO NOTHING RETURNING event_key AS key`,
    caller.member.id,
    now,
    JSON.stringify(named),
  )
  const fresh = new Set(rows.map(({ key }) => key))
  const taken = named.filter(({ key }) => fresh.delete(key))
  if (taken.length > 0) yield* applyUses(caller, taken, now)
  return {
    taken: taken.length,
    known: counting.length - taken.length,
    ignored: events.length - counting.length,
    projects: yield* projectsOf(taken),
  }
}

type UsedMemory = { id: string; project: string | null; told: number }

/** Drops events that do not count and clamps the others: no future times, the memory's own project, limited regret. */
function* onlyCounting({ member }: TeamCaller, events: readonly UseEvent[], now: string): Steps<UseEvent[]> {
  const ids = JSON.stringify([...new Set(events.map(({ memory }) => memory))])
  const rows = yield* all<UsedMemory>(
    `SELECT memory_id AS id, project_id AS project, coalesce(told, 0) AS told
     FROM memories LEFT JOIN (
       SELECT memory_id, count(*) AS told FROM use_events WHERE member_id = :member AND at >= :day GROUP BY memory_id
     ) AS today USING (memory_id)
     WHERE memory_id IN (SELECT value FROM json_each(:ids)) AND contributor_id IS DISTINCT FROM :member`,
    { member: member.id, day: now.slice(0, 10), ids },
  )
  const used = new Map(rows.map((row) => [row.id, row]))
  const within = (value: number) => Math.max(-mostRegret, Math.min(mostRegret, value))
  return events.flatMap((event) => {
    const memory = used.get(event.memory)
    if (!memory || memory.told >= mostADay) return []
    memory.told++
    return {
      ...event,
      at: Date.parse(event.at) > Date.parse(now) ? now : event.at,
      project: memory.project ?? event.project,
      regretSaved: within(event.regretSaved),
      netRegret: within(event.netRegret),
    }
  })
}

/** From the memories' rows, because an event can name any project. */
function* projectsOf(events: readonly UseEvent[]): Steps<string[]> {
  const rows = yield* all<{ project: string }>(
    `SELECT DISTINCT coalesce(project_id, '') AS project FROM memories
     WHERE memory_id IN (SELECT value FROM json_each(?)) AND status <> 'deprecated'`,
    JSON.stringify([...new Set(events.map(({ memory }) => memory))]),
  )
  return rows.map(({ project }) => project)
}

function* applyUses({ member }: TeamCaller, events: readonly UseEvent[], now: string): Steps<void> {
  const json = JSON.stringify(
    // Two members may have a task of the same id.
    events.map((event) => ({ ...event, task: `${member.id} ${event.task}` })),
  )
  yield* run(
    `INSERT INTO tasks (task_id, project_id, task_hash, ts, asked)
     SELECT task, min(project), '', min(at), 1 FROM jsonb_to_recordset(CAST(CAST(? AS TEXT) AS JSONB)) AS event (task TEXT, project TEXT, at TEXT)
     GROUP BY task ON CONFLICT DO NOTHING`,
    json,
  )
  // One row per memory and task: events are added up.
  yield* run(
    `INSERT INTO memory_uses (memory_id, task_id, ts, asked, injected, exposed, cited, outcome, settled_at, regret_saved, net_regret)
     SELECT memory_id, task, min(at), 1, max(CAST(injected AS INTEGER)), max(CAST(exposed AS INTEGER)), max(CAST(cited AS INTEGER)),
       max(outcome), max(CASE WHEN outcome IS NOT NULL THEN at END), sum("regretSaved"), sum("netRegret")
     FROM jsonb_to_recordset(CAST(CAST(? AS TEXT) AS JSONB)) AS event (memory TEXT, task TEXT, at TEXT, injected BOOLEAN, exposed BOOLEAN, cited BOOLEAN,
         outcome TEXT, "regretSaved" DOUBLE PRECISION, "netRegret" DOUBLE PRECISION)
       JOIN memories ON memory_id = event.memory
     GROUP BY memory_id, task
     ON CONFLICT (memory_id, task_id) DO UPDATE SET injected = greatest(memory_uses.injected, excluded.injected),
       exposed = greatest(memory_uses.exposed, excluded.exposed), cited = greatest(memory_uses.cited, excluded.cited),
       outcome = coalesce(excluded.outcome, memory_uses.outcome), settled_at = coalesce(excluded.settled_at, memory_uses.settled_at),
       regret_saved = memory_uses.regret_saved + excluded.regret_saved, net_regret = memory_uses.net_regret + excluded.net_regret`,
    json,
  )
  yield* refreshMetrics([...new Set(events.map(({ memory }) => memory))])
  const wrong = new Set(events.filter(({ outcome }) => outcome === "wrong").map(({ memory }) => memory))
  for (const id of wrong) yield* addFlag(id, "review", { action: "flagged", reason: "it was reported as wrong", now })
}

export type TakenEpisodes = { taken: number; known: number; refused: number; projects: string[] }

/** Stores episodes of projects that have enabled them, redacted again; invalid ones are refused. */
export function* storeEpisodes({ member }: TeamCaller, uploaded: readonly UploadedEpisode[]): Steps<TakenEpisodes> {
  for (const project of new Set(uploaded.map((each) => each.project))) yield* checkAgreed(project)
  const taken: Episode[] = []
  let known = 0
  let refused = 0
  for (const each of uploaded) {
    const episode = toEpisode(each, member.id)
    if (!episode) refused++
    else if (yield* readEpisode(episode.id)) known++
    else {
      yield* insertEpisode(episode, episode.project)
      taken.push(episode)
    }
  }
  return { taken: taken.length, known, refused, projects: [...new Set(taken.map(({ project }) => project))] }
}

/** Unknown projects get the same response. */
function* checkAgreed(project: string): Steps<void> {
  const row = yield* one("SELECT 1 FROM projects WHERE project_id = ? AND takes_episodes = 1", project)
  if (!row)
    refuse(403, "episodes-not-agreed", "Episodes are not enabled for this project. An administrator can enable them.")
}

const words = z
  .string()
  .max(20_000)
  .transform((text) => clearWithMarks(text) as string)
const few = z
  .array(
    z
      .string()
      .max(200)
      .transform((text) => clearWithMarks(text) as string),
  )
  .max(100)

/** All known fields; others are dropped. */
const event = z.object({
  id: z.string().max(200),
  ts: z.string().max(50),
  agent: words.optional(),
  parent_session: z.string().max(200).optional(),
  line: z.number(),
  role: z.enum(["user", "assistant", "tool"]),
  kind: z.enum(["message", "tool_call", "tool_result", "mark"]),
  summary: words,
  words: words.optional(),
  raw_snippet: words.optional(),
  tool_name: words.optional(),
  action: z.string().max(50).optional(),
  file: words.optional(),
  command: words.optional(),
  head: words.optional(),
  is_error: z.boolean().optional(),
  exit_code: z.number().optional(),
  fingerprint: words.optional(),
  test: z.enum(["passed", "failed"]).optional(),
  incident: z.enum(["refused", "interrupted"]).optional(),
  mark: z.enum(["session start", "session end", "clear", "compacted"]).optional(),
  frustration: z.enum(frustrations).optional(),
  accepts: z.literal(true).optional(),
  opener: z.enum(["correction", "new task", "continuation"]).optional(),
  statement: z.enum(["always", "never", "preference", "fact", "remember"]).optional(),
  asks: z.literal(true).optional(),
  branch: words.optional(),
  contexts: few.optional(),
  cites: few.optional(),
})
const form = z.object({ events: z.array(event).min(1), flushReason: z.enum(flushReasons) })

/** Ids are prefixed by member, because sessions of two machines may have the same id. The transcript's path is dropped. */
function toEpisode(uploaded: UploadedEpisode, member: string): Episode | undefined {
  const read = form.safeParse(uploaded)
  if (!read.success) return undefined
  const { id, project, client, session, start, end } = uploaded
  const { flushReason } = read.data
  const events = (read.data.events as EpisodeEvent[]).map(({ parent_session, ...event }) =>
    parent_session === undefined ? event : { ...event, parent_session: `${member} ${parent_session}` },
  )
  return {
    id: `${id} ${member}`,
    project,
    client: client as Episode["client"],
    session: `${member} ${session}`,
    transcript: "",
    start,
    end,
    events,
    stats: statsOf(events, flushReason), // recomputed: the client's sums are not trusted
    flushReason,
  }
}
