import type { AgentMemory } from "../formats/session/agent-memory.ts"
import { type AgentAttempt, attemptsOfAll } from "./entries-of.ts"
import { laterSuccesses } from "./later-successes.ts"

/** Pairs every failed attempt with the one that succeeded at the same later, where there is one. */
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
