import { sha256 } from "../disk/hash.ts"
import { alreadyStored, type Cleared } from "../governance/cleared.ts"
import type { Episode } from "./episode.ts"
import { finishEpisode, insertEpisode, readEpisode } from "./episode-rows.ts"
import type { CommitOutcome, EpisodeCommit, OperationOutcome, StoredEpisode } from "./learned-store.ts"
import type { Memory } from "./memory.ts"
import {
  type AuditNote,
  addAudit,
  addFlag,
  changeMemory,
  insertMemory,
  memoriesByIds,
  refreshMetrics,
} from "./memory-rows.ts"
import { ensureProject } from "./projects.ts"
import {
  type ClearedWords,
  clearNote,
  joinTriggers,
  type MemoryProposal,
  originOf,
  type ProposalOutcome,
  proposeMemory,
  quoteOf,
  trustOf,
} from "./proposal.ts"
import {
  findByKey,
  findEquivalent,
  isForgotten,
  isKeyTaken,
  judgeProposal,
  type Known,
  listKnown,
  mayDeprecate,
  type ProposalVerdict,
  type Target,
  targetOf,
  whyReview,
} from "./proposal-verdict.ts"
import { type ComparableText, comparable, packVector, type StoreEmbedder } from "./similarity.ts"
import { all, one, run, type Steps } from "./steps.ts"
import type { Operation } from "./writer.ts"

/** An operation, prepared as far as possible outside the transaction. */
export type PreparedCommit = {
  operation: Operation
  proposing: ProposalOutcome | undefined
  comparable: ComparableText
}

/** Governance check and vectors: the slow steps that need no other memory. */
export function prepareCommit(
  episode: Episode,
  commit: EpisodeCommit,
  embed: StoreEmbedder | undefined,
): PreparedCommit[] {
  return commit.operations.map((operation) => {
    const proposing = operation.op === "DEPRECATE" ? undefined : proposeMemory(operation, episode, commit)
    const text = proposing?.kind === "proposed" ? proposing.proposal.text : ""
    return { operation, proposing, comparable: comparable(text, text === "" ? undefined : embed) }
  })
}

/**
 * Applies the operations of an episode, settles it and marks it processed; a processed episode is left unchanged. All
 * of this is one transaction, so `applied_ops` needs no check here: it records which episodes a memory was learned
 * from.
 */
export function* applyCommit(commit: EpisodeCommit, prepared: readonly PreparedCommit[]): Steps<CommitOutcome> {
  const given = typeof commit.episode === "string" ? undefined : commit.episode
  if (given) yield* insertEpisode(given, yield* ensureProject(given.project))
  const id = episodeIdOf(commit)
  const episode = yield* readEpisode(id)
  if (!episode) throw new Error(`episode ${id} not found`)
  if (episode.processed) return { kind: "already" }
  const outcomes: OperationOutcome[] = []
  for (const [index, each] of prepared.entries()) {
    const outcome = yield* applyOperation({ commit, episode, index }, each)
    yield* run(
      "INSERT INTO applied_ops (episode_id, op_index, memory_id) VALUES (?, ?, ?)",
      episode.id,
      index,
      memoryOf(outcome) ?? null,
    )
    outcomes.push(outcome)
  }
  yield* finishEpisode(episode, commit.settlement, { now: commit.now })
  return { kind: "committed", outcomes }
}

export function episodeIdOf({ episode }: EpisodeCommit): string {
  return typeof episode === "string" ? episode : episode.id
}

function* applyOperation(
  occasion: CommitContext,
  { operation, proposing, comparable }: PreparedCommit,
): Steps<OperationOutcome> {
  const { commit, episode } = occasion
  if (operation.op === "DEPRECATE") return yield* deprecate(occasion, operation)
  if (proposing?.kind !== "proposed") return { kind: "dropped", reason: proposing?.reason ?? "nothing was proposed" }
  const { proposal } = proposing
  if (yield* isForgotten(proposal, episode.end)) return { kind: "dropped", reason: "the user has forgotten it" }
  const named: Target =
    operation.op === "UPDATE" && operation.target !== undefined
      ? yield* targetOf(operation.target, proposal.owner, episode.project)
      : { kind: "missing" }
  if (named.kind === "foreign" && !named.isTeams) return { kind: "dropped", reason: named.reason } // differs from the team: the user's own
  const { duplicateSimilarity, refineSimilarity, conflictSimilarity } = commit.policy
  const search = {
    project: episode.project,
    to: comparable,
    least: Math.min(duplicateSimilarity, refineSimilarity, conflictSimilarity),
    target: named.kind === "found" ? named.id : undefined,
  }
  const teams = proposal.owner.type === "user" ? yield* listKnown(proposal, search, "teams") : []
  const twin = findEquivalent(proposal, teams, commit.policy)
  if (twin) return { kind: "duplicate", of: twin.id } // the team server evaluates the evidence for it
  const known = yield* listKnown(proposal, search)
  const byId = named.kind === "found" ? known.find(({ id }) => id === named.id) : undefined
  const target = byId ?? (operation.op === "UPDATE" ? findByKey(proposal, known) : undefined)
  const verdict = judgeProposal(proposal, target, known, commit.policy)
  const outcome = yield* applyVerdict(occasion, verdict, { proposal, comparable })
  const isMissing = operation.op === "UPDATE" && !target && outcome.kind === "added"
  return isMissing ? { ...outcome, note: "no memory to update" } : outcome
}

function* deprecate(
  { commit, episode }: CommitContext,
  { target, reason, evidence }: Extract<Operation, { op: "DEPRECATE" }>,
): Steps<OperationOutcome> {
  const found = yield* targetOf(target, commit.owner, episode.project)
  if (found.kind === "missing") return { kind: "dropped", reason: `no active memory ${target}` }
  if (found.kind === "foreign") return { kind: "dropped", reason: found.reason }
  const note = { now: commit.now, episode: episode.id }
  if (mayDeprecate({ trust: trustOf(originOf(evidence.source)) }, found)) {
    const audit = { action: "deprecated", reason: clearNote(reason), ...note }
    yield* changeMemory(found.id, { status: "deprecated" }, audit)
    return { kind: "deprecated", id: found.id }
  }
  const why = clearNote(whyReview(`requested end (${reason})`, found))
  yield* addFlag(found.id, "review", { action: "flagged", reason: why, ...note })
  return { kind: "flagged", id: found.id, flag: "review" }
}

function memoryOf(outcome: OperationOutcome): string | undefined {
  if (outcome.kind === "dropped") return undefined
  return outcome.kind === "duplicate" ? outcome.of : outcome.id
}

/** The source of an operation. */
type CommitContext = { commit: EpisodeCommit; episode: StoredEpisode; index: number }

type New = { proposal: MemoryProposal; comparable: ComparableText }

function* applyVerdict(occasion: CommitContext, verdict: ProposalVerdict, given: New): Steps<OperationOutcome> {
  const { commit, episode } = occasion
  const audit = (action: string, reason: string) => ({ action, reason, now: commit.now, episode: episode.id })
  if (verdict.kind === "review") {
    yield* addFlag(verdict.old.id, "review", audit("flagged", verdict.reason))
    return { kind: "flagged", id: verdict.old.id, flag: "review" }
  }
  if (verdict.kind === "duplicate") {
    const { of, ends } = verdict
    if (yield* addEvidence(of.id, occasion, given.proposal))
      yield* confirm(of.id, { commit, proposal: given.proposal }, audit("confirmed", "learned again"))
    if (ends) yield* changeMemory(ends.id, { status: "deprecated" }, audit("replaced", `same as ${of.id}`))
    return { kind: "duplicate", of: of.id }
  }
  const id = memoryIdOf(episode.id, occasion.index)
  if (yield* isTaken(id)) return { kind: "dropped", reason: `${id} was purged` }
  const { conflicts } = verdict
  const ended = verdict.kind === "add" ? yield* findEnded(given.proposal) : undefined
  if (ended !== undefined) {
    yield* changeMemory(ended, { status: "provisional" }, audit("revived", "learned again"))
    yield* addEvidence(ended, occasion, given.proposal)
    yield* confirm(ended, { commit, proposal: given.proposal }, audit("confirmed", "learned again"))
    return { kind: "duplicate", of: ended }
  }
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

/** The same text, if nothing but time ended it. */
function* findEnded({ textHash, project, owner }: MemoryProposal): Steps<string | undefined> {
  const row = yield* one<{ id: string }>(
    `SELECT memory_id AS id FROM memories
     WHERE status = 'deprecated' AND text_hash = ? AND project_id IS NOT DISTINCT FROM ? AND owner_type = ? AND owner_id = ?
       AND (SELECT action FROM memory_audit WHERE memory_audit.memory_id = memories.memory_id
            ORDER BY audit_id DESC LIMIT 1) IN ('expire', 'decay')
     ORDER BY created_at DESC, memory_id LIMIT 1`,
    textHash,
    project ?? null,
    owner.type,
    owner.id,
  )
  return row?.id
}

/** Derived, so that a repeated run produces the same rows. */
export function memoryIdOf(episode: string, index: number): string {
  return `m-${sha256(`${episode}\n${index}`).slice(0, 16)}`
}

function* isTaken(id: string): Steps<boolean> {
  return (yield* one("SELECT 1 FROM tombstones WHERE memory_id = ?", id)) !== undefined
}

type Writing = New & { id: string; conflicts: readonly Known[]; inherited?: Partial<Omit<Memory, keyof ClearedWords>> }

function* write(occasion: CommitContext, { proposal, comparable, id, conflicts, inherited }: Writing): Steps<void> {
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
  yield* addEarlierEvidence(id, occasion, proposal)
}

/** Where the same was seen before; each of these sessions confirms it. */
function* addEarlierEvidence(id: string, occasion: CommitContext, proposal: MemoryProposal): Steps<void> {
  const { commit, index } = occasion
  const { source, earlier = [] } = proposal.evidence
  for (const place of earlier) {
    const episode = yield* readEpisode(place.episode)
    if (!episode) continue
    const quote = quoteOf(episode.events, { source, frustration: "none", event: place.event })
    const evidence = { ...proposal.evidence, ...quote }
    if (yield* addEvidence(id, { commit, episode, index }, { ...proposal, evidence }))
      yield* confirm(
        id,
        { commit, proposal },
        { action: "confirmed", reason: "seen before", now: commit.now, episode: episode.id },
      )
  }
}

/** Refined wording inherits everything the old wording earned, and its author gains no trust. */
function* refine(occasion: CommitContext, { old: { id: oldId }, ...given }: Writing & { old: Known }): Steps<void> {
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

/** Each confirmation by another session makes a memory more certain, and last longer from then on. */
function* confirm(
  id: string,
  { commit: { now, policy }, proposal }: { commit: EpisodeCommit; proposal: Pick<MemoryProposal, "expires"> },
  note: AuditNote,
): Steps<void> {
  const [memory] = yield* memoriesByIds([id])
  if (!memory) return
  const days = memory.tier === "short_term" ? Math.min(365, policy.shortTermDays * (2 * memory.evidence - 1)) : 0
  const lasting = new Date(Date.parse(now) + days * 86_400_000).toISOString()
  const expires = laterOf(laterOf(memory.expires, proposal.expires), lasting) ?? null
  const confidence = Math.max(memory.confidence, Math.min(mostConfidence, 1 - (1 - memory.confidence) * doubtKept))
  yield* changeMemory(id, { expires, confidence }, note)
}

const mostConfidence = 0.95
/** The share of the doubt about a memory that a confirmation leaves. */
const doubtKept = 0.75

/** undefined: never expires */
function laterOf(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return undefined
  return one > other ? one : other
}

/** A fact that updates another fact does not take the key of a third. */
function* freeKey(proposal: MemoryProposal): Steps<Cleared | undefined> {
  return (yield* isKeyTaken(proposal)) ? undefined : proposal.key
}

const columns =
  "evidence_id, memory_id, episode_id, project_id, source, frustration, created_at, transcript, line, quote"

/** One session, with its sub-agents, counts as evidence for a memory once, however often it repeats the statement. */
const isNewSession = `NOT EXISTS (
  SELECT 1 FROM evidence AS known JOIN episodes AS old ON old.episode_id = known.episode_id JOIN episodes AS new ON new.episode_id = :episode
  WHERE known.memory_id = :memory AND old.client = new.client
    AND coalesce(old.parent_session, old.session_id) = coalesce(new.parent_session, new.session_id))`

/**
 * Records evidence for a memory with its place in the transcript; returns false when the session is already counted.
 */
function* addEvidence(
  id: string,
  { episode, commit, index }: CommitContext,
  { evidence }: MemoryProposal,
): Steps<boolean> {
  const added = yield* run(
    `INSERT INTO evidence (${columns})
     SELECT :id, :memory, :episode, :project, :source, :frustration, :created, :transcript, :line, :quote WHERE ${isNewSession}
     ON CONFLICT DO NOTHING`,
    {
      id: evidenceIdOf(id, episode.id, index),
      memory: id,
      episode: episode.id,
      project: episode.project,
      source: evidence.source,
      frustration: evidence.frustration,
      created: episode.end || commit.now,
      transcript: episode.transcript,
      line: evidence.line,
      quote: evidence.quote,
    },
  )
  return added > 0
}

function evidenceIdOf(memory: string, episode: string, part: number | string): string {
  return `e-${sha256(`${memory}\n${episode}\n${part}`).slice(0, 16)}`
}

/** Evidence for a memory also counts for its refined wording. */
export function* copyEvidence(from: string, to: string): Steps<void> {
  const old = yield* all<{ evidence_id: string; episode_id: string }>(
    "SELECT evidence_id, episode_id FROM evidence WHERE memory_id = ? ORDER BY evidence_id",
    from,
  )
  for (const { evidence_id, episode_id } of old)
    yield* run(
      `INSERT INTO evidence (${columns})
       SELECT :id, :memory, episode_id, project_id, source, frustration, created_at, transcript, line, quote
       FROM evidence WHERE evidence_id = :old AND ${isNewSession}
       ON CONFLICT DO NOTHING`,
      { id: evidenceIdOf(to, episode_id, evidence_id), memory: to, episode: episode_id, old: evidence_id },
    )
}
