import type { Known } from "./judge-proposal.ts"
import type { Memory, Trust } from "./memory.ts"
import { memoriesByIds } from "./memory-rows.ts"
import { type Proposal, textHashOf } from "./propose-memory.ts"
import { type Comparable, type StoredText, similarity, storedText } from "./similarity.ts"
import { all, one, type Steps } from "./steps.ts"

export type Search = {
  project: string
  to: Comparable
  /** Minimum similarity. */
  least: number
  /** A memory to include regardless of its text. */
  target: string | undefined
}

/**
 * Memories of an owner and the owner's teams, in a project and global, that are similar to a proposal or share its
 * words or key; most similar first. Includes expired ones that have not ended yet: new evidence renews them.
 */
export function* listKnown(
  { owner, textHash, key }: Proposal,
  { project, to, least, target }: Search,
  whose: "own" | "teams" = "own",
): Steps<Known[]> {
  const rows = yield* all<StoredText & { id: string; named: number }>(
    `SELECT memory_id AS id, CASE WHEN text_hash = :textHash OR memory_id = :target OR key = :key THEN 1 ELSE 0 END AS named, ${storedText}
     FROM memories
     WHERE CASE WHEN owner_type = :type AND owner_id = :owner THEN 'own' WHEN owner_type <> 'user' THEN 'teams' END = :whose
       AND status <> 'deprecated' AND (project_id IS NULL OR project_id = :project)`,
    {
      whose,
      textHash,
      target: target ?? null,
      key: key ?? null,
      type: owner.type,
      owner: owner.id,
      project,
      model: to.model ?? null,
    },
  )
  const similarities = new Map(rows.map((row) => [row.id, similarity(to, row)]))
  const found = rows.filter(({ id, named }) => named === 1 || (similarities.get(id) ?? 0) >= least)
  const memories = yield* memoriesByIds(found.map(({ id }) => id))
  return memories
    .map((memory) => ({ ...memory, textHash: textHashOf(memory.text), similarity: similarities.get(memory.id) ?? 0 }))
    .sort((one, other) => other.similarity - one.similarity || (one.id < other.id ? -1 : 1))
}

export type Target =
  | { kind: "found"; id: string; pinned: boolean; trust: Trust }
  | { kind: "missing" }
  | { kind: "foreign"; reason: string; isTeams: boolean }

/** The active memory a writer refers to: the one it names, or its latest refinement. */
export function* targetOf(id: string, owner: Memory["owner"], project: string): Steps<Target> {
  const live = yield* one<{ id: string }>(
    `WITH RECURSIVE line (id) AS (
       SELECT memory_id FROM memories WHERE memory_id = :id OR derived_from = :id
       UNION SELECT memory_id FROM memories JOIN line ON derived_from = line.id
     ) SELECT memory_id AS id FROM memories WHERE memory_id IN (SELECT id FROM line) AND status <> 'deprecated' ORDER BY memory_id`,
    { id },
  )
  const [memory] = live ? yield* memoriesByIds([live.id]) : []
  if (!memory) return { kind: "missing" }
  const isTeams = owner.type === "user" && memory.owner.type !== "user"
  if (memory.owner.type !== owner.type || memory.owner.id !== owner.id)
    return { kind: "foreign", reason: `${id} belongs to ${isTeams ? "the team" : "another user"}`, isTeams }
  if (memory.project !== undefined && memory.project !== project)
    return { kind: "foreign", reason: `${id} belongs to another project`, isTeams }
  return { kind: "found", id: memory.id, pinned: memory.pinned, trust: memory.trust }
}

/** Whether the user forgot exactly this after the episode ended: reading history again must not restore it. */
export function* isForgotten({ textHash, project }: Proposal, at: string): Steps<boolean> {
  const row = yield* one(
    `SELECT 1 FROM tombstones WHERE text_hash = :textHash AND project_id IS NOT DISTINCT FROM :project AND purged_at >= :at
     UNION ALL
     SELECT 1 FROM memories JOIN memory_audit USING (memory_id)
     WHERE text_hash = :textHash AND project_id IS NOT DISTINCT FROM :project AND action = 'forgotten' AND ts >= :at`,
    { textHash, project: project ?? null, at },
  )
  return row !== undefined
}
