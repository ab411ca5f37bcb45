import type { Memory } from "../../memories/memory.ts"
import { memoriesByIds } from "../../memories/memory-rows.ts"
import { all, type Steps } from "../../memories/steps.ts"
import type { Overview } from "../../recall/browse/app-api.ts"
import { staleAfterMs } from "../../recall/browse/catalogue.ts"
import { flagNeeds, need } from "../../recall/browse/overview.ts"
import { conditionOf, pageOf, shownStatus, teamRow } from "./memory-list.ts"
import type { MemorySnapshot } from "./snapshot.ts"

const mostShown = 6

/** Counts and health of the team's memory; counted by the database. */
export async function readTeamOverview({ read, now }: MemorySnapshot, organisation: string): Promise<Overview> {
  const standings = await read(readStandings(now))
  const sum = (figure: (standing: Standing) => number) =>
    standings.reduce((total, standing) => total + figure(standing), 0)
  const countOf = (status: string) => sum((standing) => (standing.status === status ? standing.count : 0))
  const needs = [
    ...flagNeeds((flag) =>
      sum(({ status, flags, count, stale }) => {
        if (flag === "stale") return stale
        return status !== "ended" && flags !== "[]" && JSON.parse(flags).includes(flag) ? count : 0
      }),
    ),
    ...need("expired", countOf("expired"), "memory is due for review", "memories are due for review", "status:expired"),
  ]
  const live = conditionOf({ filters: [{ key: "status", value: "ended", negated: true }], terms: [] }, now)
  const rowOf = (memory: Memory) => teamRow(memory, now)
  return {
    project: { name: organisation, root: "" },
    helping: {
      hits: sum(({ hits }) => hits),
      misses: sum(({ misses }) => misses),
      regretSaved: Math.round(sum(({ saved }) => saved) * 100) / 100,
      withMemory: null,
      withoutMemory: null,
      tasks: null,
    },
    learned: { onTrial: countOf("on trial"), proven: countOf("proven"), ended: countOf("ended") },
    entries: null,
    needs: needs.map(({ query, ...each }) => ({ ...each, href: `/explorer?q=${encodeURIComponent(query ?? "")}` })),
    cost: null,
    best: (await read(readBest())).map(rowOf),
    recent: (await read(pageOf(live, { limit: mostShown, offset: 0 }))).map(rowOf),
  }
}

/** Memories of one status and with the same flags, which are few; `stale` of them have not been handed out for months. */
type Standing = {
  status: string
  flags: string
  count: number
  hits: number
  misses: number
  saved: number
  stale: number
}

/** In one pass over all memories. */
function readStandings(now: Date): Steps<Standing[]> {
  return all<Standing>(
    `SELECT ${shownStatus} AS status, flags, count(*) AS count, sum(suspected_regret_hits) AS hits, sum(regret_misses) AS misses,
       sum(estimated_regret_saved) AS saved,
       count(CASE WHEN status <> 'deprecated' AND pinned = 0 AND coalesce(last_used_at, created_at) < :stale THEN 1 END) AS stale
     FROM memories JOIN memory_metrics USING (memory_id) GROUP BY 1, 2`,
    { now: now.toISOString(), stale: new Date(now.getTime() - staleAfterMs).toISOString() },
  )
}

/** Those that were of use, the most useful first. */
function* readBest(): Steps<Memory[]> {
  const rows = yield* all<{ id: string }>(
    `SELECT memory_id AS id FROM memories JOIN memory_metrics USING (memory_id)
     WHERE status <> 'deprecated' AND use_count + suspected_regret_hits > 0
     ORDER BY CASE WHEN status = 'active' THEN 1 ELSE 0 END DESC, suspected_regret_hits * 10 + use_count DESC, memory_id LIMIT ?`,
    mostShown,
  )
  return yield* memoriesByIds(rows.map(({ id }) => id))
}
