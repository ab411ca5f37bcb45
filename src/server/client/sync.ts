import { existsSync } from "node:fs"
import { join } from "node:path"
import { z } from "zod"
import { makeFolder, writeFileAtomic } from "../../disk/atomic-write.ts"
import { withLock, withLockIfFree } from "../../disk/lock.ts"
import { readTextFile } from "../../disk/text-files.ts"
import type { Me } from "../api.ts"
import { type Login, writeLogin } from "./login.ts"
import { type PullResult, pullChanges } from "./pull.ts"
import { type EpisodePushResult, type PushResult, pushEpisodes, pushOutbox } from "./push.ts"
import {
  problemOf,
  type ServerAnswer,
  type ServerFailure,
  type SyncProblem,
  type TeamServerRequests,
  teamServer,
} from "./requests.ts"
import type { TeamLedger } from "./team-ledger.ts"

/** What a sync works with. */
export type SyncParts = {
  home: string
  login: Login
  ledger: TeamLedger
  /** The user's home folder, removed from everything that is sent. */
  userHome: string
  /** Ids of the projects known on this machine. */
  projects(): Promise<string[]>
  now: () => Date
  /** Aborts the sync; the next one resumes there. */
  signal?: AbortSignal | undefined
}

/** What was sent and received; `problem` is why the sync is incomplete. */
export type SyncResult = Omit<PushResult, "trouble"> &
  Omit<EpisodePushResult, "trouble"> &
  Omit<PullResult, "trouble"> & {
    /** Usage events dropped because the queue was full. */
    droppedUses: number
    problem: SyncProblem | undefined
  }

/** Pushes local events, then pulls changes. One process per user at a time; a second one waits. */
export async function syncTeam(parts: SyncParts): Promise<SyncResult> {
  return withLock(syncLock(parts.home), () => syncNow(parts), { waitMs: lockWaitMs })
}

/** Syncs unless another process is syncing already. */
export async function syncIfFree(parts: SyncParts): Promise<SyncResult | undefined> {
  const outcome = await withLockIfFree(syncLock(parts.home), () => syncNow(parts))
  return outcome.kind === "done" ? outcome.result : undefined
}

/** A first sync may bring thousands of memories. */
const lockWaitMs = 120_000

export function syncLock(home: string): string {
  makeFolder(join(home, "run"), 0o700)
  return join(home, "run", "team.lock")
}

/** Syncs and stores the result, so that the next sync is not due immediately even after a failure. */
async function syncNow(parts: SyncParts): Promise<SyncResult> {
  const { home, login, now, signal } = parts
  const before = readSyncState(home)
  const noteFailure = (
    problem: Pick<SyncProblem, "message" | "hint">,
    { retryAfterMs, droppedUses = 0 }: { retryAfterMs?: number | undefined; droppedUses?: number } = {},
  ) => writeSyncState(home, afterFailure(before, problem, { now: now(), retryAfterMs, droppedUses }))
  try {
    const { trouble, ...done } = await exchange(parts)
    const problem = trouble && problemOf(trouble, login.server)
    if (!problem) writeSyncState(home, afterSuccess(now()))
    else if (!signal?.aborted) {
      const retryAfterMs = trouble.kind === "refused" ? trouble.retryAfterMs : undefined
      noteFailure(problem, { retryAfterMs, droppedUses: done.droppedUses })
    }
    return { ...done, problem }
  } catch (error) {
    noteFailure({ message: error instanceof Error ? error.message : String(error) })
    throw error
  }
}

type Exchange = Omit<SyncResult, "problem"> & { trouble: ServerFailure | undefined }

async function exchange({ home, login, ledger, userHome, projects, signal }: SyncParts): Promise<Exchange> {
  const server = teamServer({ ...login, signal })
  const me = await server.me()
  if (me.kind !== "answered") return { ...nothingDone, trouble: me }
  const current = await refreshLogin(home, login, me.value, server)
  const pushed = await pushAll({ ledger, userHome }, server, current)
  if (pushed.trouble && isTurnedAway(pushed.trouble)) return { ...nothingDone, ...pushed }
  const pulled = await pullChanges(ledger, server, { projects: await projects(), login: current })
  return { ...pushed, ...pulled, trouble: pulled.trouble ?? pushed.trouble }
}

const nothingDone = {
  ...{ uses: 0, shared: [], unshared: [], refused: [], setAside: [], droppedUses: 0, episodes: 0 },
  ...{ added: [], changed: [], removed: [], withheld: [] },
}

/** Sends the outbox, then episodes. With a read-only token, only the latest usage events are kept. */
async function pushAll(
  { ledger, userHome }: Pick<SyncParts, "ledger" | "userHome">,
  server: TeamServerRequests,
  login: Login,
): Promise<PushResult & EpisodePushResult & { droppedUses: number }> {
  const pushed = await pushOutbox(ledger, server, login)
  if (!pushed.trouble) return { ...pushed, ...(await pushEpisodes(ledger, server, userHome)), droppedUses: 0 }
  const droppedUses = isForbidden(pushed.trouble) ? await ledger.dropOldUses(mostUses) : 0
  return { ...pushed, episodes: 0, droppedUses }
}

/** Usage events kept while the token is read-only. */
const mostUses = 10_000

/** A read-only token can still pull. */
function isForbidden(trouble: ServerFailure): boolean {
  return trouble.kind === "refused" && trouble.status === 403
}

/** Only these push failures also prevent pulling. */
function isTurnedAway(trouble: ServerFailure): boolean {
  return trouble.kind === "refused" && [401, 429].includes(trouble.status)
}

/** Updates the roles and names stored with the login. */
async function refreshLogin(home: string, login: Login, me: Me, server: TeamServerRequests): Promise<Login> {
  const isNew = me.member.teams.some((id) => login.teams[id] === undefined)
  const teams = isNew ? namesOf(await server.teams(), login.teams) : login.teams
  const fresh = loginOf(me, { ...login, teams })
  if (JSON.stringify(fresh) !== JSON.stringify(login)) writeLogin(home, fresh)
  return fresh
}

export function loginOf(
  { organisation, member }: Me,
  { server, token, teams }: Pick<Login, "server" | "token" | "teams">,
): Login {
  const { id, name, role } = member
  return { server, organisation, member: { id, name, role }, token, teams }
}

/** Keeps the known names if the request failed. */
export function namesOf(
  answer: ServerAnswer<{ teams: { id: string; name: string }[] }>,
  known: Login["teams"],
): Login["teams"] {
  if (answer.kind !== "answered") return known
  return Object.fromEntries(answer.value.teams.map(({ id, name }) => [id, name]))
}

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

function afterSuccess(now: Date): SyncState {
  return { ...neverSynced, syncedAt: now.toISOString(), dueAt: later(now, usualPauseMs) }
}

/** Exponential backoff, unless the server sent Retry-After. */
function afterFailure(
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
