import type { Known } from "./judge-proposal.ts"
import type { Memory, Trust } from "./memory.ts"
import { memoriesByIds } from "./memory-rows.ts"
import { type Proposal, textHashOf } from "./propose-memory.ts"
import { type Comparable, type StoredText, similarity, storedText } from "./similarity.ts"
import { all, one, type Steps } from "./steps.ts"

export type Search = {
  project: string
  to: Comparable
  /** The least likeness that matters. */
  least: number
  /** A memory that is meant whatever it says. */
  target: string | undefined
}

/**
 * What an owner knows, or his teams do, in a project and everywhere, that is like a proposal or has its words or its key; the likest first.
 * Also what has expired and was not ended yet: new evidence renews it.
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

/** The live memory that a writer means: the one it names, or what that one was refined to since. */
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
    return { kind: "foreign", reason: `${id} belongs to ${isTeams ? "the team" : "somebody else"}`, isTeams }
  if (memory.project !== undefined && memory.project !== project)
    return { kind: "foreign", reason: `${id} belongs to another project`, isTeams }
  return { kind: "found", id: memory.id, pinned: memory.pinned, trust: memory.trust }
}

/** Whether a person had just this forgotten after the episode was over: history that is read again does not bring it back. */
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
