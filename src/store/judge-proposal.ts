import { differenceOf } from "../formats/difference-of.ts"
import type { CommitPolicy } from "./learned-store.ts"
import type { Memory, Trust } from "./memory.ts"
import type { Proposal } from "./propose-memory.ts"

/** A live memory of the same owner, in the same project or everywhere, and how like the proposal it is. */
export type Known = Pick<
  Memory,
  "id" | "project" | "scope" | "pathPrefix" | "kind" | "polarity" | "key" | "text" | "trust" | "pinned"
> & { textHash: string; similarity: number }

/** What to do with a proposal. `ends`: a memory that it makes superfluous. */
export type Verdict =
  | { kind: "add"; conflicts: Known[] }
  | { kind: "duplicate"; of: Known; ends: Known | undefined }
  | { kind: "refine"; old: Known; conflicts: Known[] }
  | { kind: "replace"; old: Known; conflicts: Known[] }
  | { kind: "review"; old: Known; reason: string }

/** Compares a proposal with what is known; `target` is the memory that it is to update. */
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
  if (isBetter) return { kind: "refine", old, conflicts } // the same, said better: a pin goes with it
  if (!mayEnd(proposal, old)) return { kind: "review", old, reason: whyReview("something else was learned", old) }
  return { kind: "replace", old, conflicts }
}

/** Which of these says the same, in these or other words. */
export function sayingTheSame(proposal: Proposal, known: readonly Known[], policy: CommitPolicy): Known | undefined {
  return known.find((each) => isSameText(proposal, each) || isAlike(proposal, each, policy))
}

/** What is pinned only a person ends, and what is trusted more nobody whose word counts less. */
export function mayEnd({ trust }: { trust: Trust }, old: Pick<Memory, "trust" | "pinned">): boolean {
  return !old.pinned && trust >= old.trust
}

export function whyReview(what: string, { pinned }: Pick<Memory, "pinned">): string {
  return pinned ? `${what}, but it is pinned` : `${what}, from a source that is trusted less`
}

function isSameText(proposal: Proposal, other: Known): boolean {
  return isSamePlace(proposal, other) && proposal.polarity === other.polarity && proposal.textHash === other.textHash
}

/** Other words for the same. Not of the memory that is to be updated: whoever updates it means to say something better. */
function isAlike(proposal: Proposal, other: Known, { duplicateSimilarity }: CommitPolicy): boolean {
  if (!isSamePlace(proposal, other) || proposal.kind !== other.kind || proposal.polarity !== other.polarity)
    return false
  if (other.similarity < duplicateSimilarity) return false
  const { contradicts, lost, added } = differenceOf(other.text, proposal.text)
  return !contradicts && !lost && !added
}

/** It says the same thing better: nothing particular is gone, nothing is turned round. */
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

/** Facts: at most one stands under a key. */
export function isKeyed(kind: Memory["kind"]): boolean {
  return kind === "invariant" || kind === "preference"
}

/** Guards, patterns and notes may speak of a key as well. */
function factUnderKey(proposal: Proposal, known: readonly Known[]): Known | undefined {
  return isKeyed(proposal.kind) ? underKey(proposal, known) : undefined
}

/** The memory that an update without a target means. */
export function underKey(proposal: Proposal, known: readonly Known[]): Known | undefined {
  const { key, kind } = proposal
  const isOfKind = (other: Known) => other.kind === kind || (isKeyed(kind) && isKeyed(other.kind))
  if (key === undefined) return undefined
  return known.find((other) => other.key === key && isOfKind(other) && isSamePlace(proposal, other))
}

function isSamePlace(one: Omit<Known, "similarity" | "id" | "pinned">, other: Known): boolean {
  return one.scope === other.scope && one.project === other.project && one.pathPrefix === other.pathPrefix
}
