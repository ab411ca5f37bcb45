import { differenceOf } from "../formats/difference-of.ts"
import type { CommitPolicy } from "./learned-store.ts"
import type { Memory, Trust } from "./memory.ts"
import type { Proposal } from "./propose-memory.ts"

/** An active memory of the same owner, in the same project or global, with its similarity to the proposal. */
export type Known = Pick<
  Memory,
  "id" | "project" | "scope" | "pathPrefix" | "kind" | "polarity" | "key" | "text" | "trust" | "pinned"
> & { textHash: string; similarity: number }

/** What to do with a proposal. `ends`: a memory that it makes redundant. */
export type Verdict =
  | { kind: "add"; conflicts: Known[] }
  | { kind: "duplicate"; of: Known; ends: Known | undefined }
  | { kind: "refine"; old: Known; conflicts: Known[] }
  | { kind: "replace"; old: Known; conflicts: Known[] }
  | { kind: "review"; old: Known; reason: string }

/** Compares a proposal with known memories; `target` is the memory it should update. */
export function judgeProposal(
  proposal: Proposal,
  target: Known | undefined,
  known: readonly Known[],
  policy: CommitPolicy,
): Verdict {
  const same = known.filter(
    (each) => isSameText(proposal, each) || (each.id !== target?.id && isAlike(proposal, each, policy)),
  )
  const of = same.find(({ id }) => id === target?.id) ?? same[0]
  if (of)
    return {
      kind: "duplicate",
      of,
      ends: target && target.id !== of.id && mayEnd(proposal, target) ? target : undefined,
    }
  const old = target ?? factUnderKey(proposal, known)
  const conflicts = known.filter((each) => each.id !== old?.id && isConflict(proposal, each, policy))
  if (!old) return { kind: "add", conflicts }
  const isBetter = proposal.trust >= old.trust && refines(proposal, old, policy)
  if (isBetter) return { kind: "refine", old, conflicts } // the same fact reworded: the pin is inherited
  if (!mayEnd(proposal, old)) return { kind: "review", old, reason: whyReview("something else was learned", old) }
  return { kind: "replace", old, conflicts }
}

/** Finds a memory with the same meaning, in the same or other words. */
export function sayingTheSame(proposal: Proposal, known: readonly Known[], policy: CommitPolicy): Known | undefined {
  return known.find((each) => isSameText(proposal, each) || isAlike(proposal, each, policy))
}

/** Only the user can end a pinned memory, and only a source of equal or higher trust can end a memory. */
export function mayEnd({ trust }: { trust: Trust }, old: Pick<Memory, "trust" | "pinned">): boolean {
  return !old.pinned && trust >= old.trust
}

export function whyReview(what: string, { pinned }: Pick<Memory, "pinned">): string {
  return pinned ? `${what}, but it is pinned` : `${what}, from a less trusted source`
}

function isSameText(proposal: Proposal, other: Known): boolean {
  return isSamePlace(proposal, other) && proposal.polarity === other.polarity && proposal.textHash === other.textHash
}

/** A paraphrase. Never the memory that is to be updated: an update is meant to improve it. */
function isAlike(proposal: Proposal, other: Known, { duplicateSimilarity }: CommitPolicy): boolean {
  if (!isSamePlace(proposal, other) || proposal.kind !== other.kind || proposal.polarity !== other.polarity)
    return false
  if (other.similarity < duplicateSimilarity) return false
  const { contradicts, lost, added } = differenceOf(other.text, proposal.text)
  return !contradicts && !lost && !added
}

/** A rewording: no specifics are lost and nothing is negated. */
function refines(proposal: Proposal, old: Known, { refineSimilarity }: CommitPolicy): boolean {
  if (!isSamePlace(proposal, old) || proposal.kind !== old.kind || proposal.polarity !== old.polarity) return false
  if (old.similarity < refineSimilarity) return false
  const { contradicts, lost } = differenceOf(old.text, proposal.text)
  return !contradicts && !lost
}

function isConflict(proposal: Proposal, other: Known, { conflictSimilarity }: CommitPolicy): boolean {
  if (other.similarity < conflictSimilarity) return false
  return proposal.polarity !== other.polarity || differenceOf(other.text, proposal.text).contradicts
}

/** Facts: at most one per key. */
export function isKeyed(kind: Memory["kind"]): boolean {
  return kind === "invariant" || kind === "preference"
}

/** Guards, patterns and notes can share a key. */
function factUnderKey(proposal: Proposal, known: readonly Known[]): Known | undefined {
  return isKeyed(proposal.kind) ? underKey(proposal, known) : undefined
}

/** The memory meant by an update without a target. */
export function underKey(proposal: Proposal, known: readonly Known[]): Known | undefined {
  const { key, kind } = proposal
  const isOfKind = (other: Known) => other.kind === kind || (isKeyed(kind) && isKeyed(other.kind))
  if (key === undefined) return undefined
  return known.find((other) => other.key === key && isOfKind(other) && isSamePlace(proposal, other))
}

function isSamePlace(one: Omit<Known, "similarity" | "id" | "pinned">, other: Known): boolean {
  return one.scope === other.scope && one.project === other.project && one.pathPrefix === other.pathPrefix
}
