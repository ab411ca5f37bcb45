import type { Attempt } from "../formats/session/agent-memory.ts"
import { aimWords, attemptWords, similarityOf } from "./attempt-words.ts"
import { type AgentAttempt, momentOf } from "./entries-of.ts"

/**
 * Tells of a failed attempt which one first succeeded after it, at the same step of the plan and in much the same way: such a failure
 * is not hopeless.
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

/** By all that is said of them, or by what they are for alone: what worked is often done in another way. */
function isSameAim(one: Attempt, other: Attempt): boolean {
  return (
    similarityOf(attemptWords(one), attemptWords(other)) !== undefined ||
    similarityOf(aimWords(one), aimWords(other)) !== undefined
  )
}
