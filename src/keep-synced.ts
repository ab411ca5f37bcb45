import { dreyHome } from "./config.ts"
import { isSyncDue } from "./team/client/sync-due.ts"

export type KeepSynced = {
  /** Any folder: the sync is per user, not per repository. */
  root?: string | undefined
  environment: NodeJS.ProcessEnv
  /** Stops the loop. */
  signal: AbortSignal
  warn: (message: string) => void
}

/** How often to check whether a sync is due; the check reads two small files. */
const lookMs = 15_000

/** Syncs with the user's team whenever it is due, in long-running processes. Never delays an answer; repeated errors are reported once. */
export async function keepSynced({ signal, warn, ...place }: KeepSynced): Promise<void> {
  let told: string | undefined
  while (!signal.aborted) {
    if (isSyncDue(dreyHome(place.environment), new Date())) {
      const problem = await syncOnce(place, signal)
      if (signal.aborted) return
      if (problem !== undefined && problem !== told) warn(problem)
      told = problem
    }
    await pause(lookMs, signal)
  }
}

/** The problem; undefined on success, or if another process is syncing. */
async function syncOnce(
  { root, environment }: Pick<KeepSynced, "root" | "environment">,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { openDrey } = await import("./drey.ts")
  const drey = openDrey({ environment, ...(root === undefined ? {} : { root }) })
  try {
    const { problem } = (await drey.server.syncIfFree({ signal })) ?? {}
    return problem && [problem.message, ...(problem.hint === undefined ? [] : [problem.hint])].join(". ")
  } catch (error) {
    return error instanceof Error ? error.message : String(error) // a failed sync must not end the server process
  } finally {
    await drey.close()
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener("abort", end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    timer.unref() // the timer alone must not keep the process alive
    signal.addEventListener("abort", end)
  })
}
