import { DreyError } from "../../errors.ts"
import { readLogin } from "./login-file.ts"
import { isSyncDue } from "./sync-due.ts"
import { type SyncParts, syncIfFree } from "./sync-team.ts"

export type KeepSynced = Omit<SyncParts, "login"> & {
  /** Ends it. */
  signal: AbortSignal
  warn: (message: string) => void
}

/** How often it looks whether a sync is due, which costs next to nothing. */
const lookMs = 15_000

/** Syncs whenever that is due, for a process that stays, until the signal. Nobody waits for it; the same trouble is told once. */
export async function keepSynced(parts: KeepSynced): Promise<void> {
  const { signal, warn } = parts
  let told: string | undefined
  while (!signal.aborted) {
    if (isSyncDue(parts.home, parts.now())) {
      const problem = await syncOnce(parts)
      if (problem !== undefined && problem !== told) warn(problem)
      told = problem
    }
    await pause(lookMs, signal)
  }
}

/** What stood in the way; undefined when all went well, or another process is at it. */
async function syncOnce(parts: KeepSynced): Promise<string | undefined> {
  try {
    const login = readLogin(parts.home)
    const { problem } = (login && (await syncIfFree({ ...parts, login }))) ?? {}
    return problem && [problem.message, ...(problem.hint === undefined ? [] : [problem.hint])].join(". ")
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    return error.message // the next time may go better
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener("abort", end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    timer.unref() // a process that has nothing else to do ends
    signal.addEventListener("abort", end)
  })
}
