import { flagNeeds, type Need, need } from "../../../recall/browse/needs.ts"
import type { Memory } from "../../../store/memory.ts"
import { memoriesByIds } from "../../../store/memory-rows.ts"
import { all, one, type Steps } from "../../../store/steps.ts"
import type { Overview } from "../../../web/api.ts"
import { pageOf } from "./list-memories.ts"
import type { MemoryLook } from "./look.ts"
import { conditionOf, isStale, type MemoryCondition, shownStatus } from "./memory-condition.ts"
import { teamRow } from "./team-row.ts"

const mostShown = 6

/** How the team's memory stands as a whole; counted by the database. */
export async function takeTeamStock({ read, now }: MemoryLook, organisation: string): Promise<Overview> {
  const everything = conditionOf({ filters: [], terms: [] }, now)
  const standings = await read(standingsOf(everything))
  const countOf = (status: string) => standings.find((each) => each.status === status)?.count ?? 0
  const sum = (figure: (standing: Standing) => number) =>
    standings.reduce((total, standing) => total + figure(standing), 0)
  const needs = await read(needsOf(everything, countOf("expired")))
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
    best: (await read(bestOf())).map(rowOf),
    recent: (await read(pageOf(live, { limit: mostShown, offset: 0 }))).map(rowOf),
  }
}

type Standing = { status: string; count: number; hits: number; misses: number; saved: number }

function standingsOf({ values }: MemoryCondition): Steps<Standing[]> {
  return all<Standing>(
    `SELECT ${shownStatus} AS status, count(*) AS count, sum(suspected_regret_hits) AS hits, sum(regret_misses) AS misses,
       sum(estimated_regret_saved) AS saved
     FROM memories JOIN memory_metrics USING (memory_id) GROUP BY 1`,
    { now: values.now ?? "" },
  )
}

function* needsOf({ values }: MemoryCondition, expired: number): Steps<Need[]> {
  const flagged = yield* all<{ flags: string; count: number }>(
    "SELECT flags, count(*) AS count FROM memories WHERE status <> 'deprecated' AND flags <> '[]' GROUP BY flags",
  )
  const stale = yield* one<{ count: number }>(`SELECT count(*) AS count FROM memories WHERE ${isStale}`, {
    stale: values.stale ?? "",
  })
  const countOf = (flag: string) =>
    flag === "stale"
      ? (stale?.count ?? 0)
      : flagged.reduce((sum, { flags, count }) => sum + ((JSON.parse(flags) as string[]).includes(flag) ? count : 0), 0)
  return [
    ...flagNeeds(countOf),
    ...need("expired", expired, "memory is due for review", "memories are due for review", "status:expired"),
  ]
}

/** Those that were of use, the most useful first. */
function* bestOf(): Steps<Memory[]> {
  const rows = yield* all<{ id: string }>(
    `SELECT memory_id AS id FROM memories JOIN memory_metrics USING (memory_id)
     WHERE status <> 'deprecated' AND use_count + suspected_regret_hits > 0
     ORDER BY CASE WHEN status = 'active' THEN 1 ELSE 0 END DESC, suspected_regret_hits * 10 + use_count DESC, memory_id LIMIT ?`,
    mostShown,
  )
  return yield* memoriesByIds(rows.map(({ id }) => id))
}
