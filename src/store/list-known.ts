import type { Database } from "../disk/sqlite.ts"
import type { Known } from "./judge-proposal.ts"
import type { Memory, Trust } from "./memory.ts"
import { memoriesByIds } from "./memory-rows.ts"
import { type Proposal, textHashOf } from "./propose-memory.ts"
import { type Comparable, type StoredText, similarity, storedText } from "./similarity.ts"

export type Search = {
  project: string
  to: Comparable
  /** The least likeness that matters. */
  least: number
  /** A memory that is meant whatever it says. */
  target: string | undefined
}

/**
 * What an owner knows, in a project and everywhere, that is like a proposal or has its words or its key; the likest first. Also what has
 * expired and was not ended yet: new evidence renews it.
 */
export function listKnown(
  database: Database,
  { owner, textHash, key }: Proposal,
  { project, to, least, target }: Search,
): Known[] {
  const rows = database
    .prepare<StoredText & { id: string; isNamed: number }>(
      `SELECT memory_id AS id, text_hash = :textHash OR memory_id IS :target OR coalesce(key = :key, 0) AS isNamed, ${storedText}
       FROM memories
       WHERE owner_type = :type AND owner_id = :owner AND status <> 'deprecated' AND (project_id IS NULL OR project_id = :project)`,
    )
    .all({
      textHash,
      target: target ?? null,
      key: key ?? null,
      type: owner.type,
      owner: owner.id,
      project,
      model: to.model ?? null,
    })
  const similarities = new Map(rows.map((row) => [row.id, similarity(to, row)]))
  const found = rows.filter(({ id, isNamed }) => isNamed === 1 || (similarities.get(id) ?? 0) >= least)
  return memoriesByIds(
    database,
    found.map(({ id }) => id),
  )
    .map((memory) => ({ ...memory, textHash: textHashOf(memory.text), similarity: similarities.get(memory.id) ?? 0 }))
    .sort((one, other) => other.similarity - one.similarity || (one.id < other.id ? -1 : 1))
}

export type Target =
  | { kind: "found"; id: string; pinned: boolean; trust: Trust }
  | { kind: "missing" }
  | { kind: "foreign"; reason: string }

/** The live memory that a writer means: the one it names, or what that one was refined to since. */
export function targetOf(database: Database, id: string, owner: Memory["owner"], project: string): Target {
  const live = database
    .prepare<{ id: string }>(
      `WITH RECURSIVE line (id) AS (SELECT ? UNION SELECT memory_id FROM memories JOIN line ON derived_from = line.id)
       SELECT memory_id AS id FROM memories WHERE memory_id IN (SELECT id FROM line) AND status <> 'deprecated'`,
    )
    .get(id)
  const [memory] = live ? memoriesByIds(database, [live.id]) : []
  if (!memory) return { kind: "missing" }
  if (memory.owner.type !== owner.type || memory.owner.id !== owner.id)
    return { kind: "foreign", reason: `${id} belongs to somebody else` }
  if (memory.project !== undefined && memory.project !== project)
    return { kind: "foreign", reason: `${id} belongs to another project` }
  return { kind: "found", id: memory.id, pinned: memory.pinned, trust: memory.trust }
}

/** Whether a person had just this forgotten after the episode was over: history that is read again does not bring it back. */
export function isForgotten(database: Database, { textHash, project }: Proposal, at: string): boolean {
  const row = database
    .prepare(
      `SELECT 1 FROM tombstones WHERE text_hash = :textHash AND project_id IS :project AND purged_at >= :at
       UNION ALL
       SELECT 1 FROM memories JOIN memory_audit USING (memory_id)
       WHERE text_hash = :textHash AND project_id IS :project AND action = 'forgotten' AND ts >= :at`,
    )
    .get({ textHash, project: project ?? null, at })
  return row !== undefined
}
