import { existsSync } from "node:fs"
import { join } from "node:path"
import { z } from "zod"
import { readTextFile } from "../../disk/read-text-file.ts"
import { makeFolder, writeFileAtomic } from "../../disk/write-file-atomic.ts"

const syncState = z.object({
  /** Time of the last successful sync. */
  syncedAt: z.string().nullable(),
  /** No automatic sync before this time. */
  dueAt: z.string(),
  /** Consecutive failures. */
  failures: z.number().int(),
  problem: z.object({ message: z.string(), hint: z.string().optional() }).nullable(),
  /** The server sent Retry-After: then an explicit sync waits too. */
  isLimited: z.boolean(),
  /** Usage events dropped since the last success because the token is read-only. */
  droppedUses: z.number().int().default(0),
})

/** The result of the last sync, and when the next one is due. */
export type SyncState = z.infer<typeof syncState>

export const neverSynced: SyncState = {
  syncedAt: null,
  dueAt: new Date(0).toISOString(),
  failures: 0,
  problem: null,
  isLimited: false,
  droppedUses: 0,
}

export function readSyncState(home: string): SyncState {
  const path = statePath(home)
  if (!existsSync(path)) return neverSynced
  try {
    return syncState.parse(JSON.parse(readTextFile(path).text))
  } catch {
    return neverSynced // a crash may leave it incomplete: a sync is then due
  }
}

export function writeSyncState(home: string, state: SyncState): void {
  makeFolder(join(home, "run"), 0o700)
  writeFileAtomic(statePath(home), `${JSON.stringify(state)}\n`, { mode: 0o600, derived: true })
}

const usualPauseMs = 300_000
const firstPauseMs = 60_000
const longestPauseMs = 3_600_000

export function afterSuccess(now: Date): SyncState {
  return { ...neverSynced, syncedAt: now.toISOString(), dueAt: later(now, usualPauseMs) }
}

/** Exponential backoff, unless the server sent Retry-After. */
export function afterFailure(
  before: SyncState,
  { message, hint }: NonNullable<SyncState["problem"]>,
  { now, retryAfterMs, droppedUses }: { now: Date; retryAfterMs: number | undefined; droppedUses: number },
): SyncState {
  const failures = before.failures + 1
  const pauseMs = retryAfterMs ?? Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs)
  return {
    syncedAt: before.syncedAt,
    dueAt: later(now, Math.min(pauseMs, longestPauseMs)),
    failures,
    problem: { message, ...(hint === undefined ? {} : { hint }) },
    isLimited: retryAfterMs !== undefined,
    droppedUses: before.droppedUses + droppedUses,
  }
}

function later(now: Date, ms: number): string {
  return new Date(now.getTime() + ms).toISOString()
}

function statePath(home: string): string {
  return join(home, "run", "team-sync.json")
}
