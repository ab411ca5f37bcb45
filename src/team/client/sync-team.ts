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
  /** The user's own folder on this machine, of which nothing is told. */
  userHome: string
  /** The ids of the projects that this machine knows. */
  projects(): Promise<string[]>
  now: () => Date
  /** Ends it wherever it is; the next one goes on from there. */
  signal?: AbortSignal | undefined
}

/** What was told to the server and what came from it; `problem` says why that is not all. */
export type Syncing = Omit<Pushing, "trouble"> &
  Omit<EpisodePushing, "trouble"> &
  Omit<Pulling, "trouble"> & {
    /** Uses that waited in vain for so long that there is no more room for them. */
    droppedUses: number
    problem: Problem | undefined
  }

/** Tells the server what happened here, then takes in what happened there. One process of a user at a time; a second one waits for it. */
export async function syncTeam(parts: SyncParts): Promise<Syncing> {
  return withLock(syncLock(parts.home), () => syncNow(parts), { waitMs: lockWaitMs })
}

/** The same for who has something else to do: where another process is at it, that will do. */
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

/** Does it and notes how it went: whatever that was, the next one is not due at once. */
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

/** What waits in the outbox, then episodes. Of uses that this token may not tell of, the latest are kept. */
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

/** So many uses wait for a token that may tell of them. */
const mostUses = 10_000

/** Who may not write may read all the same. */
function isForbidden(trouble: ServerTrouble): boolean {
  return trouble.kind === "refused" && trouble.status === 403
}

/** Whatever else stands in the way of telling something, what is new can be had. */
function isTurnedAway(trouble: ServerTrouble): boolean {
  return trouble.kind === "refused" && [401, 429].includes(trouble.status)
}

/** Roles and names change on the server; what this machine shows of them follows. */
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

/** Where the names cannot be had, those that are known must do. */
export function namesOf(
  answer: Answer<{ teams: { id: string; name: string }[] }>,
  known: Login["teams"],
): Login["teams"] {
  if (answer.kind !== "answered") return known
  return Object.fromEntries(answer.value.teams.map(({ id, name }) => [id, name]))
}
