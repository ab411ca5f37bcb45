import { join } from "node:path"
import { withLock, withLockIfFree } from "../../disk/lock.ts"
import { makeFolder } from "../../disk/write-file-atomic.ts"
import type { TeamLedger } from "../../store/team-ledger.ts"
import type { Me } from "../api.ts"
import type { Answer, ServerTrouble } from "./ask-server.ts"
import { type Login, writeLogin } from "./login-file.ts"
import { type Problem, problemOf } from "./problem-of.ts"
import { type Pulling, pullChanges } from "./pull-changes.ts"
import { type EpisodePushing, pushEpisodes } from "./push-episodes.ts"
import { type Pushing, pushOutbox } from "./push-outbox.ts"
import { afterFailure, afterSuccess, readSyncState, writeSyncState } from "./sync-state.ts"
import { type TeamServer, teamServer } from "./team-server.ts"

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
export type Syncing = Omit<Pushing, "trouble"> &
  Omit<EpisodePushing, "trouble"> &
  Omit<Pulling, "trouble"> & {
    /** Usage events dropped because the queue was full. */
    droppedUses: number
    problem: Problem | undefined
  }

/** Pushes local events, then pulls changes. One process per user at a time; a second one waits. */
export async function syncTeam(parts: SyncParts): Promise<Syncing> {
  return withLock(syncLock(parts.home), () => syncNow(parts), { waitMs: lockWaitMs })
}

/** Syncs unless another process is syncing already. */
export async function syncIfFree(parts: SyncParts): Promise<Syncing | undefined> {
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
async function syncNow(parts: SyncParts): Promise<Syncing> {
  const { home, login, now, signal } = parts
  const before = readSyncState(home)
  const noteFailure = (
    problem: Pick<Problem, "message" | "hint">,
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

type Exchange = Omit<Syncing, "problem"> & { trouble: ServerTrouble | undefined }

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
  server: TeamServer,
  login: Login,
): Promise<Pushing & EpisodePushing & { droppedUses: number }> {
  const pushed = await pushOutbox(ledger, server, login)
  if (!pushed.trouble) return { ...pushed, ...(await pushEpisodes(ledger, server, userHome)), droppedUses: 0 }
  const droppedUses = isForbidden(pushed.trouble) ? await ledger.dropOldUses(mostUses) : 0
  return { ...pushed, episodes: 0, droppedUses }
}

/** Usage events kept while the token is read-only. */
const mostUses = 10_000

/** A read-only token can still pull. */
function isForbidden(trouble: ServerTrouble): boolean {
  return trouble.kind === "refused" && trouble.status === 403
}

/** Only these push failures also prevent pulling. */
function isTurnedAway(trouble: ServerTrouble): boolean {
  return trouble.kind === "refused" && [401, 429].includes(trouble.status)
}

/** Updates the roles and names stored with the login. */
async function refreshLogin(home: string, login: Login, me: Me, server: TeamServer): Promise<Login> {
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
  answer: Answer<{ teams: { id: string; name: string }[] }>,
  known: Login["teams"],
): Login["teams"] {
  if (answer.kind !== "answered") return known
  return Object.fromEntries(answer.value.teams.map(({ id, name }) => [id, name]))
}
