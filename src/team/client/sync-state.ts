import { existsSync } from "node:fs"
import { join } from "node:path"
import { z } from "zod"
import { readTextFile } from "../../disk/read-text-file.ts"
import { makeFolder, writeFileAtomic } from "../../disk/write-file-atomic.ts"

const syncState = z.object({
  /** When it last went well. */
  syncedAt: z.string().nullable(),
  /** Before this, nobody syncs by himself. */
  dueAt: z.string(),
  /** How often in a row it did not go well. */
  failures: z.number().int(),
  problem: z.object({ message: z.string(), hint: z.string().optional() }).nullable(),
  /** The server said when it will listen again: then a person who asks waits, too. */
  isLimited: z.boolean(),
  /** How many uses were dropped, since it last went well, because the server takes none from this token. */
  droppedUses: z.number().int().default(0),
})

/** How the last sync went, and when the next one is due. */
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
    return neverSynced // a power cut may leave it half written: then it is due, no more
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

/** A server in trouble is left alone for a while, twice as long each time; one that says how long gets just that. */
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
