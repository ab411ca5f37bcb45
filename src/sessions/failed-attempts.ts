import { DreyError } from "../errors.ts"
import { fingerprint } from "../formats/error-line.ts"
import type { AgentMemory } from "../formats/session/agent-memory.ts"

import { type AgentAttempt, errorOf, newestFailures } from "./agent-entries.ts"
import { failureLine, lineOfText } from "./prompt-lines.ts"
import type { Sessions } from "./session-api.ts"

const newestSessions = 20
/** Hooks ask for these: sessions of megabytes would keep a client waiting. */
const mostBytes = 1024 * 1024

/** Failed attempts of open sessions, newest session first. An unreadable session is skipped: its own commands report it. */
export async function listFailedAttempts(sessions: Pick<Sessions, "list" | "open">): Promise<FailedAttempt[]> {
  const active = (await sessions.list({ active: true, mostBytes })).slice(0, newestSessions)
  const failed = await Promise.all(active.map(({ id }) => failedIn(sessions, id)))
  return failed.flat()
}

async function failedIn(sessions: Pick<Sessions, "open">, id: string): Promise<FailedAttempt[]> {
  try {
    const failures = newestFailures(await (await sessions.open(id)).memories()).filter(
      ({ attempt }) => attempt.source === undefined,
    ) // a failed check is no reason to warn of running it again
    return failures.map(({ agent, attempt }) => ({
      id: `${id}/${agent}/${attempt.id}`,
      agent,
      text: failureLine({ agent, attempt }, {}).replace(/^- /, ""),
      plan: [attempt.description, attempt.approach].filter(Boolean).join("\n"),
      commands: attempt.commands,
      error: errorOf(attempt),
    }))
  } catch (error) {
    if (error instanceof DreyError) return []
    throw error
  }
}

/** One error that more than one attempt ran into. */
export type RecurringFailure = {
  fingerprint: string
  /** The error in the newest of them, on one line that is safe in a prompt. */
  error: string
  count: number
  agents: string[]
  /** Newest first. */
  attempts: { agent: string; attemptId: string }[]
}

/** Recurring errors of any agent: the most frequent first, then the newest. */
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

/** A failed attempt in an active session. */
export type FailedAttempt = {
  /** Of the session and the attempt. */
  id: string
  agent: string
  /** What was tried and how it failed, in one line. */
  text: string
  /** The plan in the agent's words, which may name commands too. */
  plan: string
  commands: readonly string[]
  error: string | undefined
}
