import { addFlag } from "../../../store/add-flag.ts"
import { refreshMetrics } from "../../../store/refresh-metrics.ts"
import { all, run, type Steps } from "../../../store/steps.ts"
import type { UseEvent } from "../../api.ts"
import type { Caller } from "../identity/caller.ts"

/**
 * `ignored`: events that do not count. `projects`: of the memories used; "" stands for memories of all projects.
 */
export type TakenUses = { taken: number; known: number; ignored: number; projects: string[] }

/** Events counted per member, memory and day. */
const mostADay = 20
/** Limit per use, because clients can claim anything. */
const mostRegret = 20

/**
 * Records usage events, each once, and updates the metrics. Events are ignored for memories that the member shared (contributors cannot
 * prove their own), that they cannot see, and beyond the daily limit.
 */
export function* takeUses(caller: Caller, events: readonly UseEvent[], now: string): Steps<TakenUses> {
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
function* onlyCounting({ member }: Caller, events: readonly UseEvent[], now: string): Steps<UseEvent[]> {
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

function* applyUses({ member }: Caller, events: readonly UseEvent[], now: string): Steps<void> {
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
