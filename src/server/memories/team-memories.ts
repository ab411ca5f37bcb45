import type { z } from "zod"
import type { MemoryHistory } from "../../memories/learned-store.ts"
import type { Memory } from "../../memories/memory.ts"
import { memoriesByIds } from "../../memories/memory-rows.ts"
import { all, one, type Steps } from "../../memories/steps.ts"
import type { ChangesPage, MemoryPage, memoryHistory, TeamMemory } from "../api.ts"

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

export type ChangesQuestion = { since: number; projects: readonly string[]; limit: number }

type ChangeRow = { id: string; seq: number; live: boolean }

/**
 * Changes since a position, in order: memories of these projects and of all projects. Ended or no longer visible memories are listed by id
 * only; a client that starts from scratch does not need them.
 */
export function* readChanges({ since: asked, projects, limit }: ChangesQuestion): Steps<ChangesPage> {
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

/** A memory as sent to clients. */
export function toTeamMemory(memory: Memory): TeamMemory {
  const { derivedFrom: _, evidence: __, metrics, owner, ...rest } = memory
  const { useCount, opportunities, hits, misses, regretSaved } = metrics
  return {
    ...rest,
    project: memory.project ?? null,
    pathPrefix: memory.pathPrefix ?? null,
    owner: { type: owner.type === "team" ? "team" : "org", id: owner.id },
    key: memory.key ?? null,
    expires: memory.expires ?? null,
    contributedBy: memory.contributedBy ?? fromEpisodes,
    sourceMemory: memory.sourceMemory ?? null,
    metrics: { useCount, opportunities, hits, misses, regretSaved },
  }
}

/** Shown as the contributor of memories learned on the server from uploaded episodes. */
export const fromEpisodes = "the team's work"

const mostUses = 200

/** A memory's history for clients, without sessions and local paths. */
export function toHistory({ evidence, uses, audit }: MemoryHistory): z.infer<typeof memoryHistory> {
  return {
    evidence: evidence.map(({ source, quote, created }) => ({ source, quote, at: created })),
    uses: uses
      .slice(-mostUses)
      .map(({ task, ts, injected, outcome }) => ({ task: taskOf(task), at: ts, injected, outcome: outcome ?? null })),
    audit: audit.map(({ ts, action, reason }) => ({ at: ts, action, reason })),
  }
}

/** Strips the member's id. */
function taskOf(task: string): string {
  return task.slice(task.indexOf(" ") + 1)
}

/** The live memory with this id, or its reworded successor. */
export function* liveMemoryOf(id: string): Steps<string | undefined> {
  const live = yield* one<{ id: string }>(
    `WITH RECURSIVE line (id) AS (
       SELECT memory_id FROM memories WHERE memory_id = :id OR derived_from = :id
       UNION SELECT memory_id FROM memories JOIN line ON derived_from = line.id
     ) SELECT memory_id AS id FROM memories WHERE memory_id IN (SELECT id FROM line) AND status <> 'deprecated'
     ORDER BY CASE memory_id WHEN :id THEN 0 ELSE 1 END, memory_id LIMIT 1`,
    { id },
  )
  return live?.id
}
