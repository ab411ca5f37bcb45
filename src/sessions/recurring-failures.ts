import { fingerprint } from "../formats/fingerprint.ts"
import type { AgentMemory } from "../formats/session/agent-memory.ts"
import { type AgentAttempt, newestFailures } from "./entries-of.ts"
import { errorOf } from "./error-of.ts"
import { lineOfText } from "./line-of-text.ts"

/** One error that more than one attempt ran into. */
export type RecurringFailure = {
  fingerprint: string
  /** The error as the newest of them has it, in a line that may stand in a prompt. */
  error: string
  count: number
  agents: string[]
  /** Newest first. */
  attempts: { agent: string; attemptId: string }[]
}

/** Errors that came back, whoever met them: the most frequent first, of equal ones the newest. */
export function recurringFailures(memories: ReadonlyMap<string, AgentMemory>): RecurringFailure[] {
  const groups = new Map<string, { error: string; attempts: AgentAttempt[] }>()
  for (const failed of newestFailures(memories)) {
    const error = errorOf(failed.attempt)
    const print = error === undefined ? undefined : fingerprint(error)
    if (error === undefined || print === undefined) continue
    const group = groups.get(print) ?? { error, attempts: [] }
    group.attempts.push(failed)
    groups.set(print, group)
  }
  return [...groups]
    .filter(([, { attempts }]) => attempts.length > 1)
    .sort(([, one], [, other]) => other.attempts.length - one.attempts.length)
    .map(([print, { error, attempts }]) => ({
      fingerprint: print,
      error: lineOfText(error),
      count: attempts.length,
      agents: [...new Set(attempts.map(({ agent }) => agent))],
      attempts: attempts.map(({ agent, attempt }) => ({ agent, attemptId: attempt.id })),
    }))
}
