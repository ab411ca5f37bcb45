import { memoriesByIds } from "../../../store/memory-rows.ts"
import { all, type Steps } from "../../../store/steps.ts"
import type { MemoryPage } from "../../api.ts"
import { toTeamMemory } from "./to-team-memory.ts"

export type MemoryListing = {
  project: string | undefined
  status: string | undefined
  kind: string | undefined
  limit: number
  /** The `next` of the page before. */
  after: string | undefined
}

/** A page of memories, newest first. */
export function* listTeamMemories({ project, status, kind, limit, after }: MemoryListing): Steps<MemoryPage> {
  const rows = yield* all<{ id: string }>(
    `SELECT memory_id AS id FROM memories
     WHERE (CAST(:project AS TEXT) IS NULL OR project_id = :project) AND (CAST(:status AS TEXT) IS NULL OR status = :status)
       AND (CAST(:kind AS TEXT) IS NULL OR kind = :kind)
       AND (CAST(:after AS TEXT) IS NULL OR (created_at, memory_id) < (SELECT created_at, memory_id FROM memories WHERE memory_id = :after))
     ORDER BY created_at DESC, memory_id DESC LIMIT :limit`,
    { project: project ?? null, status: status ?? null, kind: kind ?? null, after: after ?? null, limit: limit + 1 },
  )
  const ids = rows.slice(0, limit).map(({ id }) => id)
  const memories = yield* memoriesByIds(ids)
  return { memories: memories.map(toTeamMemory), next: rows.length > limit ? (ids.at(-1) ?? null) : null }
}
