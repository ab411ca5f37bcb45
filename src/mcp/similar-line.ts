import type { SimilarAttempt } from "../sessions/find-similar-attempt.ts"

/** Warns of an attempt that went much the same way. */
export function similarLine({ attemptId, agent, result, reason }: SimilarAttempt): string {
  return `⚠ similar to ${result === "failure" ? "failed" : "partial"} ${attemptId} (${agent}): ${reason}`
}
