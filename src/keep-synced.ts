import { dreyHome } from "./config.ts"
import { isSyncDue } from "./team/client/sync-due.ts"

export type KeepSynced = {
  /** Any folder: what is synced is the user's. */
  root?: string | undefined
  environment: NodeJS.ProcessEnv
  /** Ends it. */
  signal: AbortSignal
  warn: (message: string) => void
}

/** How often it looks whether a sync is due, which is a look at two small files. */
const lookMs = 15_000

/** Syncs with the user's team whenever that is due, for a process that stays, until the signal. No answer waits for it; the same trouble is told once. */
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

/** What stood in the way; undefined when all went well, or another process is at it. */
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
    return error instanceof Error ? error.message : String(error) // a process that others wait for does not end over this
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
    timer.unref() // a process that has nothing else to do ends
    signal.addEventListener("abort", end)
  })
}
