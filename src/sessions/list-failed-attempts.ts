import { DreyError } from "../errors.ts"
import type { FailedAttempt } from "../recall/compile-guards.ts"
import { newestFailures } from "./entries-of.ts"
import { errorOf } from "./error-of.ts"
import { failureLine } from "./failure-line.ts"
import type { Sessions } from "./session.ts"

const newestSessions = 20
/** Hooks ask for these: sessions of megabytes would keep a client waiting. */
const mostBytes = 1024 * 1024

/** What was tried in vain in the sessions that have not ended, the newest session first. One that cannot be read is passed over: its own commands tell of it. */
export async function listFailedAttempts(sessions: Pick<Sessions, "list" | "open">): Promise<FailedAttempt[]> {
  const active = (await sessions.list({ active: true, mostBytes })).slice(0, newestSessions)
  const failed = await Promise.all(active.map(({ id }) => failedIn(sessions, id)))
  return failed.flat()
}

async function failedIn(sessions: Pick<Sessions, "open">, id: string): Promise<FailedAttempt[]> {
  try {
    const failures = newestFailures(await (await sessions.open(id)).memories())
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
