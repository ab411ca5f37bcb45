import { sha256 } from "../disk/sha256.ts"
import { alreadyStored, type Cleared } from "../governance/cleared.ts"
import { addEvidence, copyEvidence } from "./add-evidence.ts"
import { addFlag } from "./add-flag.ts"
import { isKeyTaken } from "./is-key-taken.ts"
import type { Known, Verdict } from "./judge-proposal.ts"
import type { Commit, OperationOutcome, StoredEpisode } from "./learned-store.ts"
import type { Memory } from "./memory.ts"
import { memoriesByIds } from "./memory-rows.ts"
import type { ClearedWords, Proposal } from "./propose-memory.ts"
import { refreshMetrics } from "./refresh-metrics.ts"
import { type Comparable, packVector } from "./similarity.ts"
import { one, type Steps } from "./steps.ts"
import { joinTriggers } from "./trigger.ts"
import { type AuditNote, addAudit, changeMemory, insertMemory } from "./write-memory.ts"

/** The source of an operation. */
export type Occasion = { commit: Commit; episode: StoredEpisode; index: number }

type New = { proposal: Proposal; comparable: Comparable }

export function* applyVerdict(occasion: Occasion, verdict: Verdict, given: New): Steps<OperationOutcome> {
  const { commit, episode } = occasion
  const audit = (action: string, reason: string) => ({ action, reason, now: commit.now, episode: episode.id })
  if (verdict.kind === "review") {
    yield* addFlag(verdict.old.id, "review", audit("flagged", verdict.reason))
    return { kind: "flagged", id: verdict.old.id, flag: "review" }
  }
  if (verdict.kind === "duplicate") {
    const { of, ends } = verdict
    if (yield* addEvidence(of.id, occasion, given.proposal))
      yield* renew(of.id, given.proposal, audit("confirmed", "learned again"))
    if (ends) yield* changeMemory(ends.id, { status: "deprecated" }, audit("replaced", `same as ${of.id}`))
    return { kind: "duplicate", of: of.id }
  }
  const id = memoryIdOf(episode.id, occasion.index)
  if (yield* isTaken(id)) return { kind: "dropped", reason: `${id} was purged` }
  const { conflicts } = verdict
  if (verdict.kind === "add") yield* write(occasion, { ...given, id, conflicts })
  else if (verdict.kind === "refine") yield* refine(occasion, { ...given, id, conflicts, old: verdict.old })
  else {
    yield* changeMemory(verdict.old.id, { status: "deprecated" }, audit("replaced", `replaced by ${id}`))
    yield* write(occasion, { ...given, id, conflicts })
    yield* addAudit(id, audit("replaces", `replaces ${verdict.old.id}`))
  }
  for (const other of conflicts) yield* addFlag(other.id, "conflict", audit("flagged", `contradicted by ${id}`))
  if (verdict.kind !== "add")
    return { kind: verdict.kind === "refine" ? "refined" : "replaced", id, old: verdict.old.id }
  return conflicts[0] ? { kind: "added", id, note: `conflicts with ${conflicts[0].id}` } : { kind: "added", id }
}

/** Derived, so that a repeated run produces the same rows. */
export function memoryIdOf(episode: string, index: number): string {
  return `m-${sha256(`${episode}\n${index}`).slice(0, 16)}`
}

function* isTaken(id: string): Steps<boolean> {
  return (yield* one("SELECT 1 FROM tombstones WHERE memory_id = ?", id)) !== undefined
}

type Writing = New & { id: string; conflicts: readonly Known[]; inherited?: Partial<Omit<Memory, keyof ClearedWords>> }

function* write(occasion: Occasion, { proposal, comparable, id, conflicts, inherited }: Writing): Steps<void> {
  const { commit, episode } = occasion
  const { evidence: _, ...memory } = proposal
  const flags = [...(inherited?.flags ?? []), ...proposal.flags, ...(conflicts.length > 0 ? ["conflict"] : [])]
  yield* insertMemory({
    status: "provisional",
    pinned: false,
    derivedFrom: undefined,
    contributedBy: undefined,
    sourceMemory: undefined,
    ...memory,
    ...inherited,
    id,
    text: proposal.text,
    key: yield* freeKey(proposal),
    flags: [...new Set(flags)],
    created: episode.end || commit.now,
    updated: commit.now,
    vector: packVector(comparable),
  })
  yield* addAudit(id, { action: "added", reason: proposal.evidence.source, now: commit.now, episode: episode.id })
  yield* addEvidence(id, occasion, proposal)
}

/** Refined wording inherits everything the old wording earned, and its author gains no trust. */
function* refine(occasion: Occasion, { old: { id: oldId }, ...given }: Writing & { old: Known }): Steps<void> {
  const { commit, episode } = occasion
  const { proposal, id } = given
  const [old] = yield* memoriesByIds([oldId])
  if (!old) throw new Error(`memory ${oldId} not found`)
  const audit = { action: "refined", reason: `reworded as ${id}`, now: commit.now, episode: episode.id }
  yield* changeMemory(oldId, { status: "deprecated" }, audit)
  yield* write(occasion, {
    ...given,
    proposal: { ...proposal, key: proposal.key ?? (old.key === undefined ? undefined : alreadyStored(old.key)) },
    inherited: {
      status: old.status,
      tier: old.tier,
      pinned: old.pinned,
      flags: old.flags,
      confidence: Math.max(old.confidence, proposal.confidence),
      expires: laterOf(old.expires, proposal.expires),
      trigger: joinTriggers(old.trigger, proposal.trigger),
      origin: old.origin,
      trust: old.trust,
      derivedFrom: oldId,
      contributedBy: old.contributedBy,
      sourceMemory: old.sourceMemory,
    },
  })
  yield* copyEvidence(oldId, id)
  yield* refreshMetrics([id])
}

/** New evidence extends the expiry to that of a new memory. */
function* renew(id: string, proposal: Proposal, note: AuditNote): Steps<void> {
  const [memory] = yield* memoriesByIds([id])
  if (memory) yield* changeMemory(id, { expires: laterOf(memory.expires, proposal.expires) ?? null }, note)
}

/** undefined: never expires */
function laterOf(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return undefined
  return one > other ? one : other
}

/** A fact that updates another fact does not take the key of a third. */
function* freeKey(proposal: Proposal): Steps<Cleared | undefined> {
  return (yield* isKeyTaken(proposal)) ? undefined : proposal.key
}
