import { setTimeout as pause } from "node:timers/promises"
import { dreyHome } from "../config.ts"
import type { Drey } from "../drey.ts"
import { errorSentence } from "../errors.ts"
import { isSyncDue } from "../server/client/sync-due.ts"

export type TeamSyncLoopOptions = {
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
export async function startTeamSyncLoop({ signal, warn, ...place }: TeamSyncLoopOptions): Promise<void> {
  let told: string | undefined
  while (!signal.aborted) {
    if (isSyncDue(dreyHome(place.environment), new Date())) {
      const problem = await syncOnce(place, signal)
      if (signal.aborted) return
      if (problem !== undefined && problem !== told) warn(problem)
      told = problem
    }
    await pause(lookMs, undefined, { signal, ref: false }).catch(() => {}) // the signal ends the pause
  }
}

/** The problem; undefined on success, or if another process is syncing. */
async function syncOnce(
  { root, environment }: Pick<TeamSyncLoopOptions, "root" | "environment">,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { openDrey } = await import("../drey.ts")
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

export type StalenessLoopOptions = {
  /** The repositories to check; called before every round. */
  repositories(): Promise<readonly Pick<Drey, "memories" | "team">[]>
  /** Also do the upkeep of the team folders. */
  keepsUp?: boolean
  /** Stops the loop after the current repository. */
  signal: AbortSignal
  warn: (message: string) => void
}

const everyMs = 10 * 60_000

/** Does the upkeep and refreshes staleness notes every 10 minutes in long-running processes. Each distinct error is reported once. */
export async function startStalenessLoop({ repositories, keepsUp, signal, warn }: StalenessLoopOptions): Promise<void> {
  const told = new Set<string>()
  while (!signal.aborted) {
    try {
      for (const drey of await repositories()) {
        if (signal.aborted) return
        if (keepsUp) await drey.team.upkeep.run()
        await drey.memories.staleness.refresh()
      }
    } catch (error) {
      const problem = errorSentence(error) // contexts work without new notes; the next round may succeed
      if (!told.has(problem)) warn(problem)
      told.add(problem)
    }
    await pause(everyMs, undefined, { signal, ref: false }).catch(() => {}) // the signal ends the pause
  }
}
