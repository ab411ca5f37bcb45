import type { Episode } from "../episodes/episode.ts"
import type { Operation } from "../writer/writer.ts"
import { addFlag } from "./add-flag.ts"
import { applyVerdict, type Occasion } from "./apply-verdict.ts"
import { clearNote } from "./clear-words.ts"
import { insertEpisode, readEpisode } from "./episode-rows.ts"
import { finishEpisode } from "./finish-episode.ts"
import { judgeProposal, mayEnd, sayingTheSame, underKey, whyReview } from "./judge-proposal.ts"
import type { Commit, CommitOutcome, OperationOutcome } from "./learned-store.ts"
import { isForgotten, listKnown, type Target, targetOf } from "./list-known.ts"
import { type Proposing, proposeMemory } from "./propose-memory.ts"
import { ensureProject } from "./register-project.ts"
import { type Comparable, comparable, type StoreEmbedder } from "./similarity.ts"
import { run, type Steps } from "./steps.ts"
import { originOf, trustOf } from "./trust-of.ts"
import { changeMemory } from "./write-memory.ts"

/** An operation, prepared as far as possible outside the transaction. */
export type Prepared = { operation: Operation; proposing: Proposing | undefined; comparable: Comparable }

/** Governance check and vectors: the slow steps that need no other memory. */
export function prepareCommit(episode: Episode, commit: Commit, embed: StoreEmbedder | undefined): Prepared[] {
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
export function* applyCommit(commit: Commit, prepared: readonly Prepared[]): Steps<CommitOutcome> {
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

export function episodeIdOf({ episode }: Commit): string {
  return typeof episode === "string" ? episode : episode.id
}

function* applyOperation(occasion: Occasion, { operation, proposing, comparable }: Prepared): Steps<OperationOutcome> {
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
  const twin = sayingTheSame(proposal, teams, commit.policy)
  if (twin) return { kind: "duplicate", of: twin.id } // the team server evaluates the evidence for it
  const known = yield* listKnown(proposal, search)
  const byId = named.kind === "found" ? known.find(({ id }) => id === named.id) : undefined
  const target = byId ?? (operation.op === "UPDATE" ? underKey(proposal, known) : undefined)
  const verdict = judgeProposal(proposal, target, known, commit.policy)
  const outcome = yield* applyVerdict(occasion, verdict, { proposal, comparable })
  const isMissing = operation.op === "UPDATE" && !target && outcome.kind === "added"
  return isMissing ? { ...outcome, note: "no memory to update" } : outcome
}

function* deprecate(
  { commit, episode }: Occasion,
  { target, reason, evidence }: Extract<Operation, { op: "DEPRECATE" }>,
): Steps<OperationOutcome> {
  const found = yield* targetOf(target, commit.owner, episode.project)
  if (found.kind === "missing") return { kind: "dropped", reason: `no active memory ${target}` }
  if (found.kind === "foreign") return { kind: "dropped", reason: found.reason }
  const note = { now: commit.now, episode: episode.id }
  if (mayEnd({ trust: trustOf(originOf(evidence.source)) }, found)) {
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
