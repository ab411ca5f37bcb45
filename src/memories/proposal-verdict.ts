import { differenceOf } from "../formats/text-difference.ts"
import type { CommitPolicy } from "./learned-store.ts"
import type { Memory, Trust } from "./memory.ts"
import { memoriesByIds } from "./memory-rows.ts"
import { type MemoryProposal, textHashOf } from "./proposal.ts"
import { type ComparableText, type StoredText, similarity, storedText } from "./similarity.ts"
import { all, one, type Steps } from "./steps.ts"

/** An active memory of the same owner, in the same project or global, with its similarity to the proposal. */
export type Known = Pick<
  Memory,
  "id" | "project" | "scope" | "pathPrefix" | "kind" | "polarity" | "key" | "text" | "trust" | "pinned"
> & { textHash: string; similarity: number }

/** What to do with a proposal. `ends`: a memory that it makes redundant. */
export type ProposalVerdict =
  | { kind: "add"; conflicts: Known[] }
  | { kind: "duplicate"; of: Known; ends: Known | undefined }
  | { kind: "refine"; old: Known; conflicts: Known[] }
  | { kind: "replace"; old: Known; conflicts: Known[] }
  | { kind: "review"; old: Known; reason: string }

/** Compares a proposal with known memories; `target` is the memory it should update. */
export function judgeProposal(
  proposal: MemoryProposal,
  target: Known | undefined,
  known: readonly Known[],
  policy: CommitPolicy,
): ProposalVerdict {
  const same = known.filter(
    (each) => isSameText(proposal, each) || (each.id !== target?.id && isAlike(proposal, each, policy)),
  )
  const of = same.find(({ id }) => id === target?.id) ?? same[0]
  if (of)
    return {
      kind: "duplicate",
      of,
      ends: target && target.id !== of.id && mayDeprecate(proposal, target) ? target : undefined,
    }
  const old = target ?? factUnderKey(proposal, known)
  const conflicts = known.filter((each) => each.id !== old?.id && isConflict(proposal, each, policy))
  if (!old) return { kind: "add", conflicts }
  const isBetter = proposal.trust >= old.trust && refines(proposal, old, policy)
  if (isBetter) return { kind: "refine", old, conflicts } // the same fact reworded: the pin is inherited
  if (!mayDeprecate(proposal, old)) return { kind: "review", old, reason: whyReview("something else was learned", old) }
  return { kind: "replace", old, conflicts }
}

/** Finds a memory with the same meaning, in the same or other words. */
export function findEquivalent(
  proposal: MemoryProposal,
  known: readonly Known[],
  policy: CommitPolicy,
): Known | undefined {
  return known.find((each) => isSameText(proposal, each) || isAlike(proposal, each, policy))
}

/** Only the user can end a pinned memory, and only a source of equal or higher trust can end a memory. */
export function mayDeprecate({ trust }: { trust: Trust }, old: Pick<Memory, "trust" | "pinned">): boolean {
  return !old.pinned && trust >= old.trust
}

export function whyReview(what: string, { pinned }: Pick<Memory, "pinned">): string {
  return pinned ? `${what}, but it is pinned` : `${what}, from a less trusted source`
}

function isSameText(proposal: MemoryProposal, other: Known): boolean {
  return isSamePlace(proposal, other) && proposal.polarity === other.polarity && proposal.textHash === other.textHash
}

/** A paraphrase. Never the memory that is to be updated: an update is meant to improve it. */
function isAlike(proposal: MemoryProposal, other: Known, { duplicateSimilarity }: CommitPolicy): boolean {
  if (!isSamePlace(proposal, other) || proposal.kind !== other.kind || proposal.polarity !== other.polarity)
    return false
  if (other.similarity < duplicateSimilarity) return false
  const { contradicts, lost, added } = differenceOf(other.text, proposal.text)
  return !contradicts && !lost && !added
}

/** A rewording: no specifics are lost and nothing is negated. */
function refines(proposal: MemoryProposal, old: Known, { refineSimilarity }: CommitPolicy): boolean {
  if (!isSamePlace(proposal, old) || proposal.kind !== old.kind || proposal.polarity !== old.polarity) return false
  if (old.similarity < refineSimilarity) return false
  const { contradicts, lost } = differenceOf(old.text, proposal.text)
  return !contradicts && !lost
}

function isConflict(proposal: MemoryProposal, other: Known, { conflictSimilarity }: CommitPolicy): boolean {
  if (other.similarity < conflictSimilarity) return false
  return proposal.polarity !== other.polarity || differenceOf(other.text, proposal.text).contradicts
}

/** Facts: at most one per key. */
export function isKeyed(kind: Memory["kind"]): boolean {
  return kind === "invariant" || kind === "preference"
}

/** Guards, patterns and notes can share a key. */
function factUnderKey(proposal: MemoryProposal, known: readonly Known[]): Known | undefined {
  return isKeyed(proposal.kind) ? findByKey(proposal, known) : undefined
}

/** The memory meant by an update without a target. */
export function findByKey(proposal: MemoryProposal, known: readonly Known[]): Known | undefined {
  const { key, kind } = proposal
  const isOfKind = (other: Known) => other.kind === kind || (isKeyed(kind) && isKeyed(other.kind))
  if (key === undefined) return undefined
  return known.find((other) => other.key === key && isOfKind(other) && isSamePlace(proposal, other))
}

function isSamePlace(one: Omit<Known, "similarity" | "id" | "pinned">, other: Known): boolean {
  return one.scope === other.scope && one.project === other.project && one.pathPrefix === other.pathPrefix
}

type KeyedMemory = Pick<Memory, "kind" | "key" | "project" | "owner" | "pathPrefix">

/** Whether another fact of the same owner has this key in the same scope. */
export function* isKeyTaken({ kind, key, project, owner, pathPrefix }: KeyedMemory): Steps<boolean> {
  if (key === undefined || !isKeyed(kind)) return false
  const taken = yield* one(
    `SELECT 1 FROM memories WHERE key = ? AND project_id IS NOT DISTINCT FROM ? AND owner_type = ? AND owner_id = ?
       AND path_prefix IS NOT DISTINCT FROM ? AND status <> 'deprecated' AND kind IN ('invariant', 'preference')`,
    key,
    project ?? null,
    owner.type,
    owner.id,
    pathPrefix ?? null,
  )
  return taken !== undefined
}

export type KnownSearch = {
  project: string
  to: ComparableText
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
  { owner, textHash, key }: MemoryProposal,
  { project, to, least, target }: KnownSearch,
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
export function* isForgotten({ textHash, project }: MemoryProposal, at: string): Steps<boolean> {
  const row = yield* one(
    `SELECT 1 FROM tombstones WHERE text_hash = :textHash AND project_id IS NOT DISTINCT FROM :project AND purged_at >= :at
     UNION ALL
     SELECT 1 FROM memories JOIN memory_audit USING (memory_id)
     WHERE text_hash = :textHash AND project_id IS NOT DISTINCT FROM :project AND action = 'forgotten' AND ts >= :at`,
    { textHash, project: project ?? null, at },
  )
  return row !== undefined
}
