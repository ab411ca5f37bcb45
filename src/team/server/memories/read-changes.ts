import { memoriesByIds } from "../../../store/memory-rows.ts"
import { all, one, type Steps } from "../../../store/steps.ts"
import type { Changes } from "../../api.ts"
import { toTeamMemory } from "./to-team-memory.ts"

export type ChangesQuestion = { since: number; projects: readonly string[]; limit: number }

type ChangeRow = { id: string; seq: number; live: boolean }

/**
 * Changes since a position, in order: memories of these projects and of all projects. Ended or no longer visible memories are listed by id
 * only; a client that starts from scratch does not need them.
 */
export function* readChanges({ since: asked, projects, limit }: ChangesQuestion): Steps<Changes> {
  const organisation = yield* one<{ seq: number }>("SELECT seq FROM organisations")
  const newest = organisation?.seq ?? 0
  const since = asked > newest ? 0 : asked // the server was restored from a backup: send everything
  const rows = yield* all<ChangeRow>(
    `SELECT memory_changes.memory_id AS id, memory_changes.seq AS seq, coalesce(memories.status <> 'deprecated', FALSE) AS live
     FROM memory_changes LEFT JOIN memories ON memories.memory_id = memory_changes.memory_id
     WHERE memory_changes.seq > :since
       AND (memory_changes.project_id IS NULL OR memory_changes.project_id IN (SELECT value FROM json_each(:projects)))
       AND (:since > 0 OR memories.status <> 'deprecated')
     ORDER BY memory_changes.seq LIMIT :limit`,
    { since, projects: JSON.stringify(projects), limit: limit + 1 },
  )
  const more = rows.length > limit
  const page = rows.slice(0, limit)
  const live = page.filter((row) => row.live).map(({ id }) => id)
  const memories = yield* memoriesByIds(live)
  return {
    memories: memories.map(toTeamMemory),
    removed: page.filter((row) => !row.live).map(({ id }) => id),
    next: more ? (page.at(-1)?.seq ?? newest) : newest,
    more,
  }
}
