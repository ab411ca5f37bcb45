import { likeness } from "../embedders/likeness.ts"
import type { AgentMemory, Attempt } from "../formats/session/agent-memory.ts"
import { approachWords, attemptText, attemptWords, similarityOf } from "./attempt-words.ts"
import { type AgentAttempt, attemptsOfAll, newestFirst } from "./entries-of.ts"
import { failureReason, solutionOf } from "./failure-line.ts"
import { laterSuccesses } from "./later-successes.ts"
import { lineOfText, longestLine, longestName, shorten } from "./line-of-text.ts"

/** An attempt of this session that went much the same way and did not succeed. */
export type SimilarAttempt = {
  agent: string
  attemptId: string
  result: "failure" | "partial"
  /** From 0 to 1. */
  similarity: number
  /** What went wrong, in a line that may stand in a prompt. */
  reason: string
  lessons: string | undefined
}

/** A text's vector, of unit length; undefined when there is none. */
export type Embed = (text: string) => Float32Array | undefined

export type SimilarityOptions = { embed?: Embed | undefined }

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

/** Leaves room in a line for who failed. */
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

/** Tells how similar an attempt is to an approach; 0 when not enough to mention it. */
function similarityTo(approach: string, embed: SimilarityOptions["embed"]): (attempt: Attempt) => number {
  const words = approachWords(approach)
  const vector = embed?.(approach)
  return (attempt) => {
    const byWords = similarityOf(words, attemptWords(attempt)) ?? 0
    const other = vector && embed?.(attemptText(attempt))
    const byMeaning = vector && other ? likeness(vector, other) : 0
    return Math.max(byWords, byMeaning >= leastCosine ? Math.min(1, byMeaning) : 0)
  }
}
