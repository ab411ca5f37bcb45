import { existsSync } from "node:fs"
import { join } from "node:path"
import { setImmediate as nextTurn } from "node:timers/promises"
import { readTextFile } from "../disk/text-files.ts"
import { DreyError } from "../errors.ts"
import type { Policy } from "../formats/policy.ts"
import { normalizeText } from "../formats/text-difference.ts"
import type { Episode, EpisodeFinding } from "../memories/episode.ts"
import type { CommitPolicy, OperationOutcome, Settlement } from "../memories/learned-store.ts"
import type { Memory } from "../memories/memory.ts"
import type { KnownMemory, Operation, WriterInput } from "../memories/writer.ts"
import { readStore } from "../team/team-entries.ts"
import { findStore } from "../team/team-folder.ts"
import { taskTextOf, triggerOf, triggerOfFinding } from "./episodes/episode-trigger.ts"
import { findingsOf, prefilter } from "./episodes/findings.ts"
import { type FailureHistory, openFailureHistory } from "./failure-history.ts"
import type { LearningParts, LearningProject } from "./learning-parts.ts"
import { type Evaluation, evaluateIfDue, settle } from "./project-evaluation.ts"
import { openRequestHistory, type RequestHistory } from "./request-history.ts"
import { failureLessonsOf } from "./writer/rules/failure-lessons.ts"
import { findStatedRules } from "./writer/rules/statement-lessons.ts"
import { isSaid } from "./writer/sentences.ts"

/** The results of processing waiting episodes. */
export type Learned = {
  episodes: number
  /** Skipped episodes by reason, including those the model refused. */
  skipped: { episode: string; reason: string }[]
  /**
   * The writer was unavailable for these; they are retried on the next run, or on request once parked after too many
   * attempts.
   */
  postponed: { episode: string; reason: string; parked: boolean }[]
  outcomes: OperationOutcome[]
  evaluations: Evaluation[]
}

export type LearnOptions = {
  progress?: (done: number, total: number) => void
  /** Also retries episodes parked after too many attempts. */
  parked?: boolean
  /** Stops between two episodes, and cancels a slow call. */
  signal?: AbortSignal
}

/** This many failures in a row mean that the writer is down, not that an episode is difficult. */
const mostFailures = 3

/** Passes every waiting episode to the writer in chronological order and commits the answers; then evaluates if due. */
export async function learnFromEpisodes(
  parts: LearningParts,
  project: LearningProject,
  options: LearnOptions = {},
): Promise<Learned> {
  const learned = nothingLearned()
  const { max_attempts } = parts.policyOf(project.root).writer
  const { waiting, parked } = (await parts.store.counts(project.id, max_attempts)).episodes
  const total = waiting + (options.parked ? parked : 0)
  await evaluate(parts, project, learned) // what an earlier process did not get to before it was killed
  const isStanding = openStandingRules(project.root, parts.home, parts.now())
  const history = openFailureHistory(parts.store, project.id)
  const requests = openRequestHistory(parts.store, project.id)
  let done = 0
  let failures = 0
  for await (const episode of waitingEpisodes(parts, project, options.parked === true)) {
    options.progress?.(done++, total)
    await nextTurn() // a watch also answers on its socket meanwhile
    if (options.signal?.aborted) break
    const isDone = await learnFromEpisode(
      parts,
      project,
      { episode, isStanding, history, requests },
      learned,
      options.signal,
    )
    failures = isDone ? 0 : failures + 1
    if (failures === mostFailures) break
    if (!isDone) continue
    learned.episodes++
    history.add(episode)
    requests.add(episode)
    await evaluate(parts, project, learned)
  }
  return learned
}

async function evaluate(parts: LearningParts, project: LearningProject, learned: Learned): Promise<void> {
  const evaluation = await evaluateIfDue(parts, project)
  if (evaluation) learned.evaluations.push(evaluation)
}

const page = 50

/** A long history does not fit in memory at once. Postponed episodes stay at the front, so each is visited once. */
async function* waitingEpisodes(
  { store, policyOf }: LearningParts,
  project: LearningProject,
  parked: boolean,
): AsyncIterable<Episode> {
  const maxAttempts = policyOf(project.root).writer.max_attempts
  const seen = new Set<string>()
  for (;;) {
    const next = await store.waiting({ project: project.id, parked, maxAttempts, limit: page + seen.size })
    const fresh = next.filter(({ id }) => !seen.has(id))
    if (fresh.length === 0) return
    for (const episode of fresh) {
      yield episode
      if (!(await store.episode(episode.id))?.processed) seen.add(episode.id)
    }
  }
}

export function nothingLearned(): Learned {
  return { episodes: 0, skipped: [], postponed: [], outcomes: [], evaluations: [] }
}

type WaitingEpisode = {
  episode: Episode
  isStanding: StandingRules
  history: FailureHistory
  requests: RequestHistory
}

/** False when the writer was unavailable. */
async function learnFromEpisode(
  parts: LearningParts,
  project: LearningProject,
  { episode, isStanding, history, requests }: WaitingEpisode,
  learned: Learned,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const { store } = parts
  const policy = parts.policyOf(project.root)
  const findings = findingsOf(episode.events, episode.continuationOf !== undefined)
  const settlement = await settle(parts, project, episode)
  const skip = async (reason: string) => {
    await store.skip(episode.id, reason, settlement, episode.end)
    learned.skipped.push({ episode: episode.id, reason })
    return true
  }
  const repeated = await requests.repeatedIn(episode, ownerOf(parts))
  const verdict = prefilter(episode, findings, policy.writer.prefilter)
  if (verdict.kind === "skip" && repeated.length === 0) return skip(verdict.reason)
  const writer = await parts.writer()
  const input = await writerInput(parts, project, { episode, findings })
  const answer = await writer.write({ ...input, earlier: await history.before(episode) }, signal)
  for (const dropped of answer.kind === "written" ? answer.dropped : []) parts.warn(`${episode.id}: ${dropped}`)
  if (answer.kind === "refused") return skip(`${writer.id} refused to answer: ${answer.reason}`)
  if (answer.kind === "later" && signal?.aborted) return false // cancelled, so it does not count as an attempt
  if (answer.kind === "later") {
    const attempts = await store.postpone(episode.id, answer.reason)
    const isParked = attempts >= policy.writer.max_attempts
    learned.postponed.push({ episode: episode.id, reason: answer.reason, parked: isParked })
    return false
  }
  const operations = [...answer.operations, ...repeated]
    .filter((operation) => !isStanding(operation, episode))
    .map((operation) => withOwnTrigger(episode, findings, operation))
  await commit(parts, { policy, episode, settlement, operations }, learned)
  return true
}

/** What a writer is given about an episode. */
export async function writerInput(
  parts: LearningParts,
  project: LearningProject,
  { episode, findings }: { episode: Episode; findings: EpisodeFinding[] },
): Promise<WriterInput> {
  return {
    episode,
    findings,
    known: await knownMemories(parts, episode),
    owner: ownerOf(parts),
    project: summarizeProject(project.root),
    mostMemories: parts.policyOf(project.root).writer.max_memories_per_episode,
  }
}

/** A memory based on one finding gets only that finding's trigger. */
function withOwnTrigger(episode: Episode, findings: readonly EpisodeFinding[], operation: Operation): Operation {
  if (operation.op === "DEPRECATE" || operation.trigger || operation.evidence.event === undefined) return operation
  const { source, event } = operation.evidence
  const own = findings.find((finding) => finding.kind === source && eventsOf(finding).includes(event))
  return own ? { ...operation, trigger: triggerOfFinding(episode, own) } : operation
}

function eventsOf(finding: EpisodeFinding): number[] {
  return finding.kind === "failure_then_success" ? [...finding.failures, finding.success] : [finding.event]
}

type ToCommit = {
  policy: Policy
  episode: Episode
  settlement: Settlement
  operations: Parameters<LearningParts["store"]["commit"]>[0]["operations"]
}

async function commit(
  parts: LearningParts,
  { policy, episode, settlement, operations }: ToCommit,
  learned: Learned,
): Promise<void> {
  const outcome = await parts.store.commit({
    episode: episode.id,
    operations,
    owner: ownerOf(parts),
    trigger: triggerOf(episode),
    settlement,
    policy: commitPolicyOf(policy),
    now: episode.end,
    learnedAt: parts.now().toISOString(),
  })
  if (outcome.kind === "committed") learned.outcomes.push(...outcome.outcomes)
}

function ownerOf({ owner, ownerType = "user" }: LearningParts): Memory["owner"] {
  return { type: ownerType, id: owner }
}

export function commitPolicyOf({ commit: limits, ttl, writer }: Policy): CommitPolicy {
  return {
    duplicateSimilarity: limits.duplicate_similarity,
    refineSimilarity: limits.refine_similarity,
    conflictSimilarity: limits.conflict_similarity,
    dropConfidence: limits.drop_confidence,
    shortTermDays: ttl.default.short_term_days,
    emergencyDays: ttl.default.emergency_days,
    allowTeam: writer.allow_team,
  }
}

const mostKnown = 20
/** Of those that may say the same as a failure of the episode. */
const mostSame = 3

/** The memories the writer should know, under small numbers; those learned from the previous episode come first. */
async function knownMemories({ store }: LearningParts, episode: Episode): Promise<KnownMemory[]> {
  const { project, continuationOf, end } = episode
  const before = continuationOf === undefined ? [] : await store.memories({ project, episode: continuationOf })
  const just = before.filter(({ status }) => status !== "deprecated")
  const asking = { project, now: end }
  const near = await store.nearest({ ...asking, text: taskTextOf(episode), limit: mostKnown })
  const same: typeof near = []
  for (const { stem } of failureLessonsOf(episode))
    if (stem !== undefined) same.push(...(await store.nearest({ ...asking, text: stem, limit: mostSame })))
  const justIds = new Set(just.map(({ id }) => id))
  const memories = [...just, ...[...same, ...near].map(({ memory }) => memory)]
  const distinct = [...new Map(memories.map((memory) => [memory.id, memory])).values()]
  return distinct.slice(0, mostKnown).map(({ id, kind, tier, key, text }, at) => ({
    alias: at + 1,
    id,
    kind,
    tier,
    key,
    text,
    justWritten: justIds.has(id),
  }))
}

/** Whether a proposed memory is already one of the team's directives: the rule was captured when it was stated. */
type StandingRules = (operation: Operation, episode: Pick<Episode, "events">) => boolean

/** The active directives of a repository, read when the first operation is based on the user's words. */
function openStandingRules(root: string, home: string, now: Date): StandingRules {
  let read: Set<string> | undefined
  const stands = (text: string) => {
    read ??= readRules(root, home, now)
    return read.has(normalizeText(text))
  }
  return (operation, { events }) => {
    if (operation.op === "DEPRECATE" || operation.evidence.source === "failure_then_success") return false
    if (stands(operation.text)) return true
    const cited = events[operation.evidence.event ?? -1]
    const said = cited === undefined ? events.filter(isSaid) : [cited] // a model may not say which message it means
    const rules = said.flatMap(({ words, summary }) => findStatedRules(words ?? summary))
    return rules.length > 0 && rules.every(({ text }) => stands(text)) // a model rewords the statement
  }
}

/** Each as written, and as a memory would state it. */
function readRules(root: string, home: string, now: Date): Set<string> {
  if (!existsSync(root)) return new Set()
  const { entries } = readStore(findStore(root, home), now, ({ source }) => source === "decisions")
  const inForce = entries.filter(({ entry, supersededBy }) => entry.type === "directive" && supersededBy.length === 0)
  const texts = inForce.flatMap(({ entry }) => [entry.title, entry.summary ?? "", entry.details ?? ""])
  const rules = texts.flatMap((text) => [text, ...findStatedRules(text).map((rule) => rule.text)])
  return new Set(rules.map(normalizeText).filter((rule) => rule !== ""))
}

const mostCharacters = 4000
const files = [".squad/project.md", ".squad/team.md", "README.md", "README"]

/** Describes a project for the writer: the first of these files with content. Empty when there is none. */
export function summarizeProject(root: string): string {
  for (const file of files) {
    const path = join(root, file)
    if (!existsSync(path)) continue
    try {
      const text = readTextFile(path).text.trim()
      if (text !== "") return [...text].slice(0, mostCharacters).join("")
    } catch (error) {
      if (!(error instanceof DreyError)) throw error // the writer also works without a summary
    }
  }
  return ""
}
