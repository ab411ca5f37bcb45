import type { AgentMemory, Attempt } from "../formats/session/agent-memory.ts"
import { cosineSimilarity } from "../index/embedders/embedder.ts"
import { tokenize } from "../index/tokenizer.ts"
import { type AgentAttempt, attemptsOfAll, momentOf, newestFirst } from "./agent-entries.ts"
import { failureReason, lineOfText, longestLine, longestName, shorten, solutionOf } from "./prompt-lines.ts"

/** An attempt of this session that went much the same way and did not succeed. */
export type SimilarAttempt = {
  agent: string
  attemptId: string
  result: "failure" | "partial"
  /** From 0 to 1. */
  similarity: number
  /** What went wrong, on one line that is safe in a prompt. */
  reason: string
  lessons: string | undefined
}

/** A text's vector, of unit length; undefined if there is none. */
export type EmbedText = (text: string) => Float32Array | undefined

export type SimilarityOptions = { embed?: EmbedText | undefined }

/**
 * Attempts that an approach would repeat, by their words and, with an embedder, by their meaning: failures, then partial results, the
 * most similar of each first.
 */
export function findSimilarAttempt(
  approach: string,
  memories: ReadonlyMap<string, AgentMemory>,
  { embed }: SimilarityOptions = {},
): SimilarAttempt[] {
  const attempts = attemptsOfAll(memories)
  const solvedBy = laterSuccesses(attempts)
  const similarity = similarityTo(approach, embed)
  return (["failure", "partial"] as const).flatMap((result) => {
    const candidates = attempts.filter(({ attempt }) => attempt.result === result)
    return newestFirst(candidates, ({ attempt }) => attempt)
      .map((found) => ({ found, similarity: similarity(found.attempt) }))
      .filter(({ similarity }) => similarity > 0)
      .sort((one, other) => other.similarity - one.similarity)
      .map(({ found, similarity }) => {
        const { id: attemptId, lessons } = found.attempt
        const reason = reasonOf(found, solvedBy(found))
        return { agent: found.agent, attemptId, result, similarity, reason, lessons: lessons ?? undefined }
      })
  })
}

/** Leaves room in a line for the name of the agent. */
const longestReason = 140

function reasonOf(failed: AgentAttempt, solvedBy: AgentAttempt | undefined): string {
  const solved = solvedBy === undefined ? "" : ` ${solutionOf(failed, solvedBy)}`
  return shorten(failureReason(failed.attempt), longestReason - solved.length) + solved
}

/** The line by which an agent is warned. */
export function similarityWarning({ agent, attemptId, result, reason }: SimilarAttempt): string {
  const [id, name] = [lineOfText(attemptId, longestName), lineOfText(agent, longestName)]
  return shorten(`⚠ similar to ${result === "failure" ? "failed" : result} ${id} (${name}): ${reason}`, longestLine)
}

/** Measured on the shipped table: the same aim in other words is at 0.94 and more, another aim of the same kind ("Fix the date test", "Fix the cart test") at 0.81. */
const leastCosine = 0.85

/** How similar an attempt is to an approach; 0 if it is not worth mentioning. */
function similarityTo(approach: string, embed: SimilarityOptions["embed"]): (attempt: Attempt) => number {
  const words = approachWords(approach)
  const vector = embed?.(approach)
  return (attempt) => {
    const byWords = similarityOf(words, attemptWords(attempt)) ?? 0
    const other = vector && embed?.(attemptText(attempt))
    const byMeaning = vector && other ? cosineSimilarity(vector, other) : 0
    return Math.max(byWords, byMeaning >= leastCosine ? Math.min(1, byMeaning) : 0)
  }
}

const longestRead = 4000

/**
 * The words by which two approaches are compared. A path counts as its last name and an identifier as one word: a shared file is not yet a
 * shared approach.
 */
function approachWords(text: string): Set<string> {
  return new Set(tokenize(flatten(text.slice(0, longestRead))))
}

/** What an attempt is compared by. */
function attemptText({ description, approach }: Attempt): string {
  return `${description}\n${approach ?? ""}`.trim()
}

export function attemptWords(attempt: Attempt): ReadonlySet<string> {
  return keptWords(attempt, wordsOfAll, attemptText(attempt))
}

/** The words of its purpose, without the approach. */
export function aimWords(attempt: Attempt): ReadonlySet<string> {
  return keptWords(attempt, wordsOfAim, attempt.description)
}

/** The same attempts are compared again and again. */
type KnownWords = WeakMap<Attempt, { text: string; words: ReadonlySet<string> }>
const wordsOfAll: KnownWords = new WeakMap()
const wordsOfAim: KnownWords = new WeakMap()

function keptWords(attempt: Attempt, known: KnownWords, text: string): ReadonlySet<string> {
  const before = known.get(attempt)
  if (before?.text === text) return before.words
  const words = approachWords(text)
  known.set(attempt, { text, words })
  return words
}

const leastOverlap = 0.6
const leastShared = 3

/** Which part of the smaller set the larger one has, from 0 to 1; undefined when that is too little to call them similar. */
export function similarityOf(one: ReadonlySet<string>, other: ReadonlySet<string>): number | undefined {
  const [smaller, larger] = one.size <= other.size ? [one, other] : [other, one]
  let shared = 0
  for (const word of smaller) if (larger.has(word)) shared++
  const isEnough = shared >= leastShared || (shared > 0 && shared === larger.size) // two words, and the same two
  return isEnough && shared / smaller.size >= leastOverlap ? shared / smaller.size : undefined
}

function flatten(text: string): string {
  return text
    .toLowerCase()
    .split(/\s+/)
    .map((word) => word.split(/[/\\]/).findLast((name) => name !== "") ?? "")
    .join(" ")
    .replace(/(?<=\w)\.[a-z]{2,5}(?![a-z0-9.])/g, "") // the end of a file's name
    .replace(/_|(?<=[a-z])\.(?=[a-z])/g, "")
    .replace(/[-:@]/g, " ")
}

/**
 * Finds the attempt that first succeeded after a failed one, at the same step of the plan and in much the same way: such a failure is not
 * a dead end.
 */
export function laterSuccesses(attempts: readonly AgentAttempt[]): (failed: AgentAttempt) => AgentAttempt | undefined {
  const successes = attempts
    .filter(({ attempt }) => attempt.result === "success")
    .map((success) => ({ ...success, moment: momentOf(success.attempt) }))
    .sort((one, other) => one.moment - other.moment)
  return ({ attempt: failure }) => {
    const failedAt = momentOf(failure)
    if (failedAt === Number.NEGATIVE_INFINITY) return undefined
    return successes.find(
      ({ attempt, moment }) =>
        moment > failedAt && attempt.planStep === failure.planStep && isSameAim(failure, attempt),
    )
  }
}

/** By their whole text, or by their purpose alone: the successful attempt often uses another approach. */
function isSameAim(one: Attempt, other: Attempt): boolean {
  return (
    similarityOf(attemptWords(one), attemptWords(other)) !== undefined ||
    similarityOf(aimWords(one), aimWords(other)) !== undefined
  )
}

/** Pairs every failed attempt with a later one that succeeded at the same thing, if there is one. */
export function findSolutions(memories: ReadonlyMap<string, AgentMemory>): { failed: string; by: string }[] {
  const attempts = attemptsOfAll(memories)
  const successOf = laterSuccesses(attempts)
  return attempts.flatMap((failed) => {
    const success = failed.attempt.result === "failure" ? successOf(failed) : undefined
    return success ? [{ failed: nameOf(failed), by: nameOf(success) }] : []
  })
}

function nameOf({ agent, attempt }: AgentAttempt): string {
  return `${agent}/${attempt.id}`
}
